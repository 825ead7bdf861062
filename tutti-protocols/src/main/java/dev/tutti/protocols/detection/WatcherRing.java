package dev.tutti.protocols.detection;

import dev.tutti.core.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** The nodes in an order that is the same at all of them: each is watched by those that follow it. */
final class WatcherRing {

    /** Number of watchers of a node. */
    static final int WATCHERS_MAX = 10;

    private static final Comparator<NodeId> RING =
            Comparator.comparingLong((NodeId node) -> mix(node.incarnation())).thenComparing(Comparator.naturalOrder());

    private final List<NodeId> nodes = new ArrayList<>();

    void add(NodeId node) {
        int slot = Collections.binarySearch(nodes, node, RING);
        if (slot < 0) {
            nodes.add(-slot - 1, node);
        }
    }

    void remove(NodeId node) {
        int slot = Collections.binarySearch(nodes, node, RING);
        if (slot >= 0) {
            nodes.remove(slot);
        }
    }

    /** Returns the nodes that watch {@code node}, which need not be on the ring: the first that follow it and can watch. */
    List<NodeId> watchers(NodeId node, Predicate<NodeId> canWatch) {
        List<NodeId> watchers = new ArrayList<>(WATCHERS_MAX);
        int slot = Collections.binarySearch(nodes, node, RING);
        int first = slot < 0 ? -slot - 1 : slot + 1;
        int others = slot < 0 ? nodes.size() : nodes.size() - 1;
        for (int index = 0; index < others && watchers.size() < WATCHERS_MAX; index++) {
            NodeId watcher = nodes.get((first + index) % nodes.size());
            if (canWatch.test(watcher)) {
                watchers.add(watcher);
            }
        }
        return watchers;
    }

    /** Spreads incarnations over the ring, so that nodes that were started together do not watch only each other. */
    private static long mix(long value) {
        long mixed = (value ^ (value >>> 33)) * 0xFF51AFD7ED558CCDL;
        return mixed ^ (mixed >>> 33);
    }
}
