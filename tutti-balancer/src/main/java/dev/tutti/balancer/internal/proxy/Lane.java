package dev.tutti.balancer.internal.proxy;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The part of the proxy on one loop: its connections to nodes, its exchanges and its clients. A request and its answer stay on one
 * loop, so nothing here is shared. Timeouts are looked for every 100 ms, which costs less than a timer for each request.
 */
final class Lane {

    private final EventLoop loop;
    private final Limits limits;
    private final Map<String, NodePool> pools = new HashMap<>();
    private final Set<Exchange> exchanges = new LinkedHashSet<>();
    private final Set<Client> clients = new LinkedHashSet<>();

    Lane(EventLoop loop, Limits limits) {
        this.loop = loop;
        this.limits = limits;
    }

    EventLoop loop() {
        return loop;
    }

    NodePool pool(String url) {
        return pools.computeIfAbsent(url, _ -> new NodePool(url, limits.nodeConnections(), limits.nodeQueue()));
    }

    void enter(Exchange exchange) {
        exchanges.add(exchange);
    }

    void leave(Exchange exchange) {
        exchanges.remove(exchange);
    }

    void enter(Client client) {
        clients.add(client);
    }

    void leave(Client client) {
        clients.remove(client);
    }

    /** Ends everything that has taken too long. */
    void onTime(long nowNanos) {
        for (Exchange exchange : new ArrayList<>(exchanges)) {
            exchange.onTime(nowNanos);
        }
        for (Client client : new ArrayList<>(clients)) {
            client.onTime(nowNanos);
        }
        long sinceNanos = nowNanos - limits.times().nodeIdle();
        pools.values().forEach(pool -> pool.closeIdle(sinceNanos));
        pools.values().removeIf(NodePool::isEmpty);
    }

    /** Returns the number of requests that are under way, without connections that were upgraded. */
    int inProgress() {
        return (int) exchanges.stream().filter(exchange -> !exchange.isUpgraded()).count();
    }

    int nodeConnections() {
        return pools.values().stream().mapToInt(NodePool::open).sum();
    }
}
