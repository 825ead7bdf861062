package dev.tutti.jgroups;

import dev.tutti.blocks.presence.Change;
import dev.tutti.core.NodeId;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The bridges between one cluster and one group, those that are gone included: what they have relayed may still arrive, and is not relayed back.
 * Thread-safe.
 */
final class Bridges {

    /** Bridges that are remembered; of more, those met first are forgotten. */
    private static final int COUNT_MAX = 1_000;

    private volatile Set<String> addresses = Set.of();
    private volatile Set<NodeId> nodes = Set.of();

    /** Notes a bridge, its node and its address in the cluster of JGroups. */
    synchronized void note(Change<String, String> change) {
        String address = change.value();
        if (address != null) {
            addresses = with(addresses, address);
            nodes = with(nodes, change.member().node());
        }
    }

    private static <T> Set<T> with(Collection<T> known, T next) {
        LinkedHashSet<T> more = new LinkedHashSet<>(known);
        more.add(next);
        if (more.size() > COUNT_MAX) {
            more.removeFirst();
        }
        return more;
    }

    boolean hasAddress(String address) {
        return addresses.contains(address);
    }

    boolean hasNode(NodeId node) {
        return nodes.contains(node);
    }
}
