package dev.tutti.balancer.internal.table;

import dev.tutti.announce.message.ContextState;
import dev.tutti.announce.message.WebContext;
import dev.tutti.balancer.internal.table.Choice.Cause;
import dev.tutti.balancer.internal.table.Choice.Chosen;
import dev.tutti.balancer.internal.table.Choice.Reason;
import dev.tutti.balancer.internal.table.Choice.Unserved;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All nodes, as they are at a moment. A change makes another table.
 *
 * <p>A request belongs to the context with the longest path that it begins with; among contexts of one path, those that name its
 * host come before those of all hosts. The node of its session takes it, unless it is gone, stopped or suspect. Otherwise the
 * session moves: to nodes with the same version of the context, and among them to those of the same domain, if there are any. A
 * request without a session goes to the newest version. Among several nodes the one with the fewest sessions and requests for its
 * weight is chosen; the fewest requests alone if sessions are not kept to their nodes. A node with more than twice the mean number of requests in flight waits, so that a new node without sessions
 * is not flooded.
 *
 * <p>Immutable. The same table, request and tallies give the same choice.
 */
public final class RoutingTable {

    /** Requests in flight that a node may have beyond twice the mean. */
    private static final int IN_FLIGHT_SLACK = 4;

    /** A context at a node. */
    private record Entry(WebNode node, WebContext context) {}

    private final List<WebNode> nodes;
    private final boolean isSticky;
    private final FormerNodes former;
    private final Map<String, WebNode> byRoute = new HashMap<>();
    private final Map<String, List<Entry>> byPath = new HashMap<>();

    /**
     * @param nodes nodes with different routes
     * @param former nodes that are gone
     * @param isSticky whether sessions are kept to their nodes
     */
    public RoutingTable(List<WebNode> nodes, FormerNodes former, boolean isSticky) {
        this.nodes = List.copyOf(nodes);
        this.former = former;
        this.isSticky = isSticky;
        for (WebNode node : this.nodes) {
            WebNode other = byRoute.put(node.route(), node);
            if (other != null) {
                throw new IllegalArgumentException("two nodes have the route " + node.route() + ": " + other + " and " + node);
            }
            for (WebContext context : node.content().contexts()) {
                byPath.computeIfAbsent(context.path(), _ -> new ArrayList<>()).add(new Entry(node, context));
            }
        }
    }

    public static RoutingTable empty(boolean isSticky) {
        return new RoutingTable(List.of(), FormerNodes.NONE, isSticky);
    }

    public List<WebNode> nodes() {
        return nodes;
    }

    public @Nullable WebNode node(String route) {
        return byRoute.get(route);
    }

    FormerNodes former() {
        return former;
    }

    /** Returns the contexts by path, with the number of nodes that have each, for people. */
    public Map<String, Integer> contexts() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        byPath.keySet().stream().sorted().forEach(path -> counts.put(path, byPath.getOrDefault(path, List.of()).size()));
        return counts;
    }

    // ------------------------------------------------------------------ choice

    /** @param tried routes of nodes that have failed during this request */
    public Choice choose(RequestKey request, Tallies tallies, Set<String> tried) {
        List<Entry> entries = match(request);
        if (entries.isEmpty()) {
            return new Unserved(Cause.NO_CONTEXT);
        }
        String route = "";
        if (isSticky) {
            for (String each : request.routes()) {
                Entry sticky = at(each, entries);
                if (sticky != null && !tried.contains(each) && !tallies.isSuspect(each)) {
                    return new Chosen(sticky.node(), sticky.context(), Reason.STICKY);
                }
                route = route.isEmpty() ? each : route;
            }
        }
        List<Entry> pool = open(entries, tried);
        if (pool.isEmpty()) {
            // A suspect node is better than none.
            for (String each : isSticky ? request.routes() : List.<String>of()) {
                Entry sticky = at(each, entries);
                if (sticky != null && !tried.contains(each)) {
                    return new Chosen(sticky.node(), sticky.context(), Reason.STICKY);
                }
            }
            return new Unserved(open(entries, Set.of()).isEmpty() ? Cause.ALL_DRAINING : Cause.ALL_FAILED);
        }
        Origins from = route.isEmpty() ? null : origins(route, entries);
        if (from != null) {
            pool = preferred(pool, entry -> entry.context().version().equals(from.version()));
            pool = healthy(pool, tallies);
            pool = preferred(pool, entry -> !from.domain().isEmpty() && entry.node().content().domain().equals(from.domain()));
            Entry best = least(pool, tallies);
            return new Chosen(best.node(), best.context(), Reason.FAILED_OVER);
        }
        pool = healthy(pool, tallies);
        String newest = newest(pool);
        Entry best = least(preferred(pool, entry -> entry.context().version().equals(newest)), tallies);
        return new Chosen(best.node(), best.context(), Reason.FREE);
    }

    /** Domain of a node, and the version of its context. */
    private record Origins(String domain, String version) {}

    private @Nullable Origins origins(String route, List<Entry> entries) {
        for (Entry entry : entries) {
            if (entry.node().route().equals(route)) {
                return new Origins(entry.node().content().domain(), entry.context().version());
            }
        }
        WebNode present = byRoute.get(route);
        WebNode known = present == null ? former.node(route) : present;
        if (known == null) {
            return null;
        }
        String path = entries.getFirst().context().path();
        String version = known.content().contexts().stream()
                .filter(context -> context.path().equals(path))
                .map(WebContext::version)
                .findFirst()
                .orElse("");
        return new Origins(known.content().domain(), version);
    }

    /** Returns the contexts with the longest path that a request begins with, and that answer its host. */
    private List<Entry> match(RequestKey request) {
        String path = request.path();
        int parameter = path.indexOf(';');
        int end = parameter < 0 ? path.length() : parameter;
        while (true) {
            List<Entry> all = byPath.get(path.substring(0, end));
            if (all != null) {
                List<Entry> ofHost = ofHost(all, request.host());
                if (!ofHost.isEmpty()) {
                    return ofHost;
                }
            }
            if (end == 0) {
                return List.of();
            }
            end = Math.max(0, path.lastIndexOf('/', end - 1));
        }
    }

    private static List<Entry> ofHost(List<Entry> all, String host) {
        boolean isSimple = true;
        for (Entry entry : all) {
            isSimple &= entry.context().aliases().isEmpty();
        }
        if (isSimple) {
            return all;
        }
        List<Entry> named = all.stream().filter(entry -> entry.context().aliases().contains(host)).toList();
        return named.isEmpty() ? all.stream().filter(entry -> entry.context().aliases().isEmpty()).toList() : named;
    }

    private static @Nullable Entry at(String route, List<Entry> entries) {
        Entry found = null;
        for (Entry entry : entries) {
            if (entry.node().route().equals(route) && entry.context().state() != ContextState.STOPPED) {
                // Several versions at one node: it tells its sessions apart by itself.
                found = found == null || entry.context().version().compareTo(found.context().version()) > 0 ? entry : found;
            }
        }
        return found;
    }

    private static List<Entry> open(List<Entry> entries, Set<String> tried) {
        List<Entry> open = new ArrayList<>(entries.size());
        boolean hasActive = false;
        for (Entry entry : entries) {
            if (entry.context().state() == ContextState.ENABLED && !tried.contains(entry.node().route())) {
                open.add(entry);
                hasActive |= !entry.node().isStandby();
            }
        }
        if (hasActive) {
            open.removeIf(entry -> entry.node().isStandby());
        }
        return open;
    }

    private static List<Entry> healthy(List<Entry> pool, Tallies tallies) {
        return preferred(pool, entry -> !tallies.isSuspect(entry.node().route()));
    }

    private static String newest(List<Entry> pool) {
        String newest = "";
        for (Entry entry : pool) {
            newest = entry.context().version().compareTo(newest) > 0 ? entry.context().version() : newest;
        }
        return newest;
    }

    /** Returns the entries with a property; all of them if none has it. */
    private static List<Entry> preferred(List<Entry> pool, Predicate<Entry> property) {
        List<Entry> chosen = new ArrayList<>(pool.size());
        for (Entry entry : pool) {
            if (property.test(entry)) {
                chosen.add(entry);
            }
        }
        return chosen.isEmpty() ? pool : chosen;
    }

    private Entry least(List<Entry> pool, Tallies tallies) {
        if (pool.size() == 1) {
            return pool.getFirst();
        }
        long total = 0;
        for (Entry entry : pool) {
            total += tallies.inFlight(entry.node().route());
        }
        long inFlightMax = 2 * total / pool.size() + IN_FLIGHT_SLACK;
        Entry best = null;
        double bestScore = 0;
        long bestSent = 0;
        for (Entry entry : pool) {
            String route = entry.node().route();
            int inFlight = tallies.inFlight(route);
            if (inFlight > inFlightMax) {
                continue;
            }
            // One is added so that weights matter among nodes without sessions.
            double score = ((isSticky ? tallies.sessions(entry.node()) : 0) + inFlight + 1) / entry.node().weight();
            long sent = tallies.sent(route);
            boolean isBetter = best == null || score < bestScore || score == bestScore && sent < bestSent;
            if (isBetter) {
                best = entry;
                bestScore = score;
                bestSent = sent;
            }
        }
        // One node at least has no more than the mean.
        return best == null ? pool.getFirst() : best;
    }
}
