package dev.tutti.blocks;

import dev.tutti.StateException;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.Components;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Joins as often as it takes: where all who have the state end while others are about to get it, these begin anew. */
public final class Joining {

    private static final int TIMES_MAX = 10;

    private Joining() {}

    public static <B> B join(Supplier<B> block) {
        for (int times = 1; times < TIMES_MAX; times++) {
            try {
                return block.get();
            } catch (StateException e) {
                // The next one is of another member of the group.
                continue;
            }
        }
        return block.get();
    }

    /**
     * Lets processes begin anew whose block was closed under them because the state of the group was lost, as applications do
     * when they are told.
     */
    public static <C> void again(Cluster cluster, Components<C> components, Predicate<? super C> isClosed) {
        cluster.awaitRest();
        for (int number = 1; number <= cluster.size(); number++) {
            if (isClosed.test(components.on(number))) {
                cluster.stop(number).start(number);
            }
        }
    }
}
