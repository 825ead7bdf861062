package dev.tutti.balancer.internal.member;

import dev.tutti.balancer.internal.table.RoutingTable;
import dev.tutti.balancer.internal.table.Tallies;
import dev.tutti.balancer.internal.table.WebNode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Numbers of all nodes, by route. Those of a node that is gone go when it has no request in flight. Thread-safe. */
public final class NodeTallies implements Tallies {

    private final Map<String, NodeTally> byRoute = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;

    public NodeTallies(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    public NodeTally of(String route) {
        NodeTally tally = byRoute.get(route);
        return tally == null ? byRoute.computeIfAbsent(route, _ -> new NodeTally()) : tally;
    }

    void retain(RoutingTable table) {
        byRoute.entrySet().removeIf(entry -> table.node(entry.getKey()) == null && entry.getValue().inFlight() == 0);
    }

    void age() {
        byRoute.values().forEach(NodeTally::age);
    }

    @Override
    public int inFlight(String route) {
        NodeTally tally = byRoute.get(route);
        return tally == null ? 0 : tally.inFlight();
    }

    @Override
    public long sessions(WebNode node) {
        NodeTally tally = byRoute.get(node.route());
        return node.content().sessions() + (tally == null ? 0 : tally.begun());
    }

    @Override
    public long sent(String route) {
        NodeTally tally = byRoute.get(route);
        return tally == null ? 0 : tally.sent();
    }

    @Override
    public boolean isSuspect(String route) {
        NodeTally tally = byRoute.get(route);
        return tally != null && tally.isSuspect(nanoTime.getAsLong());
    }
}
