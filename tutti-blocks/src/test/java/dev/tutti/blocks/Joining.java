package dev.tutti.blocks;

import dev.tutti.StateException;
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
}
