package dev.tutti.protocols.node;

import dev.tutti.core.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/**
 * Nodes of the same name in one cluster, which people can't tell apart in logs, charts and views. A node that was
 * restarted at another address is one of them until its former run is excluded.
 */
final class Namesakes {

    /** Two present nodes of one name. */
    private record Pair(NodeId first, NodeId second) {

        boolean has(NodeId node) {
            return first.equals(node) || second.equals(node);
        }
    }

    /** Nodes by name, the first met first. Never iterated. */
    private final HashMap<String, List<NodeId>> byName = new HashMap<>();

    /** One pair for each further node of a name, so a thousand nodes of one name make a thousand pairs. */
    private final List<Pair> pairs = new ArrayList<>();

    Namesakes(NodeId self) {
        byName.computeIfAbsent(self.name(), name -> new ArrayList<>(1)).add(self);
    }

    void onOpened(NodeId node) {
        List<NodeId> nodes = byName.computeIfAbsent(node.name(), name -> new ArrayList<>(1));
        if (!nodes.contains(node)) {
            if (!nodes.isEmpty()) {
                pairs.add(new Pair(nodes.getFirst(), node));
            }
            nodes.add(node);
        }
    }

    void onClosed(NodeId node) {
        List<NodeId> nodes = byName.get(node.name());
        if (nodes == null || !nodes.remove(node)) {
            return;
        }
        if (nodes.isEmpty()) {
            byName.remove(node.name());
        }
        boolean wasFirst = pairs.stream().anyMatch(pair -> pair.first().equals(node));
        pairs.removeIf(pair -> pair.has(node));
        if (wasFirst) {
            nodes.stream().skip(1).forEach(other -> pairs.add(new Pair(nodes.getFirst(), other)));
        }
    }

    void report(List<Trouble> troubles) {
        for (Pair pair : pairs) {
            troubles.add(Trouble.sameName(pair.first(), pair.second()));
        }
    }
}
