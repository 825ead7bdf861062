package dev.tutti.blocks.machine;

import dev.tutti.GroupBuilder;
import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import java.util.function.UnaryOperator;

/** A component of a simulated process that has a diary. */
final class Writer implements AutoCloseable {

    final Diary diary = new Diary();
    final Replica<String, Integer> replica;
    int count;

    /** True if no member could provide the state: docs/design/state.md. */
    boolean isLeft;

    Writer(Node node) {
        this(node, group -> group, builder -> builder);
    }

    Writer(
            Node node,
            UnaryOperator<GroupBuilder> group,
            UnaryOperator<ReplicaBuilder<String, Integer>> limits) {
        replica = limits.apply(Replica.on(group.apply(node.group("diary")), diary, Codec.TEXT)
                        .onClosed(reason -> isLeft = true))
                .join();
    }

    /** Returns the next line to write; no two are the same. */
    String next() {
        count++;
        return replica.self().node().incarnation() + "/" + count;
    }

    @Override
    public void close() {
        replica.close();
    }
}
