package dev.tutti.protocols.node;

import dev.tutti.core.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;

/** Nodes of one name in one cluster. People can't tell them apart in logs, charts and views. */
final class Namesakes {

    /**
     * Two nodes of one name.
     *
     * @param sinceNanos when this node had both
     */
    private record Pair(NodeId first, NodeId second, long sinceNanos) {

        boolean has(NodeId node) {
            return first.equals(node) || second.equals(node);
        }

        NodeEvents.SameName event() {
            return new NodeEvents.SameName(first, second);
        }
    }

    /** A node that was restarted at another address is there beside its former run until that is excluded. */
    private static final long LASTING_NANOS = 5_000_000_000L;

    /** Pairs that are remembered as told. */
    private static final int TOLD_MAX = 256;

    /** By name, the first met first. Looked up, never gone through. */
    private final HashMap<String, List<NodeId>> byName = new HashMap<>();

    private final List<Pair> pairs = new ArrayList<>();
    private final LinkedHashSet<NodeEvents.SameName> told = new LinkedHashSet<>();

    Namesakes(NodeId self) {
        byName.computeIfAbsent(self.name(), name -> new ArrayList<>(1)).add(self);
    }

    /** One pair for each further node of a name, so that a thousand of one name are a thousand pairs. */
    void onOpened(NodeId node, long nowNanos) {
        List<NodeId> nodes = byName.computeIfAbsent(node.name(), name -> new ArrayList<>(1));
        if (!nodes.contains(node)) {
            if (!nodes.isEmpty()) {
                pairs.add(new Pair(nodes.getFirst(), node, nowNanos));
            }
            nodes.add(node);
        }
    }

    void onClosed(NodeId node, long nowNanos) {
        List<NodeId> nodes = byName.get(node.name());
        if (nodes == null || !nodes.remove(node)) {
            return;
        }
        boolean wasPaired = pairs.removeIf(pair -> pair.has(node));
        if (nodes.isEmpty()) {
            byName.remove(node.name());
        } else if (wasPaired) {
            for (NodeId other : nodes.subList(1, nodes.size())) {
                if (pairs.stream().noneMatch(pair -> pair.second().equals(other))) {
                    pairs.add(new Pair(nodes.getFirst(), other, nowNanos));
                }
            }
        }
    }

    /** Returns pairs that have lasted and have not been told of. */
    List<NodeEvents.SameName> takeNews(long nowNanos) {
        if (pairs.isEmpty()) {
            return List.of();
        }
        List<NodeEvents.SameName> news = new ArrayList<>();
        for (Pair pair : pairs) {
            if (nowNanos - pair.sinceNanos() >= LASTING_NANOS && told.add(pair.event())) {
                news.add(pair.event());
            }
        }
        while (told.size() > TOLD_MAX) {
            told.removeFirst();
        }
        return news;
    }

    void report(long nowNanos, List<Trouble> troubles) {
        for (Pair pair : pairs) {
            if (nowNanos - pair.sinceNanos() >= LASTING_NANOS) {
                troubles.add(new Trouble(
                        Trouble.Kind.SAME_NAME,
                        "",
                        pair.first().address() + " " + pair.second().address(),
                        pair.event().text(),
                        NodeEvents.SameName.ADVICE));
            }
        }
    }
}
