package dev.tutti.rendezvous.internal.registry;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Nodes by cluster and address, those who watch them, and pairs that are being connected. A machine without clock, entropy, thread and
 * socket. Thread-safe; receivers are called by the thread of the input, outside the lock.
 */
public final class Registry {

    /** Time in which a node has to come for a connection that another one wants with it. */
    public static final long TICKET_NANOS = 5_000_000_000L;

    /** Longest wait of a watcher. */
    public static final long WATCH_NANOS = 20_000_000_000L;

    private static final int WATCHERS_MAX = 10_000;

    /**
     * The nodes of a cluster at a time.
     *
     * @param version changes with each change of the nodes
     * @param nodes those that were there longest first
     */
    public record Listing(long version, List<ListedNode> nodes) {}

    /** Receiver of a listing that was waited for. */
    public interface Watcher {
        void onListing(Listing listing);
    }

    private record Watch(Watcher watcher, int limit, long deadlineNanos) {}

    private static final class Cluster {
        final LinkedHashMap<String, ListedNode> nodes = new LinkedHashMap<>();
        final List<Watch> watches = new ArrayList<>();
        long version;
        int pairs;
    }

    /** A cluster, for people. */
    public record Summary(String name, int nodes, int relayed, int pairs) {}

    private final Quotas quotas;
    private final Supplier<String> tickets;
    private final TreeMap<String, Cluster> clusters = new TreeMap<>();
    private final Map<String, Integer> byHost = new HashMap<>();

    /** Pairs whose second node has not come yet, the oldest first. */
    private final LinkedHashMap<String, Pair> waiting = new LinkedHashMap<>();

    private long lastVersion;
    private int nodes;
    private int pairs;
    private int watchers;
    private long ticketsExpired;

    /**
     * @param firstVersion above all versions that an earlier run of the server may have given
     * @param tickets gives texts that nobody can guess
     */
    public Registry(Quotas quotas, long firstVersion, Supplier<String> tickets) {
        this.quotas = quotas;
        this.lastVersion = firstVersion;
        this.tickets = tickets;
    }

    // ------------------------------------------------------------------ nodes

    /**
     * Lists a node, in place of an earlier one with its address.
     *
     * @param host address from which it has come
     * @param isRelayed whether others may reach it through the server
     * @throws Refused if a quota is reached
     */
    public ListedNode enter(
            String cluster, String address, String host, boolean isRelayed, ListedNode.Control control) throws Refused {
        ListedNode node = new ListedNode(cluster, address, host, isRelayed, control);
        ListedNode replaced;
        List<Runnable> told;
        synchronized (this) {
            Cluster of = clusters.get(cluster);
            replaced = of == null ? null : of.nodes.get(address);
            if (of == null || replaced == null) {
                check(cluster, of, host);
            } else {
                remove(of, replaced);
            }
            if (of == null) {
                of = new Cluster();
                clusters.put(cluster, of);
            }
            of.nodes.put(address, node);
            nodes++;
            byHost.merge(host, 1, Integer::sum);
            told = changed(of);
        }
        told.forEach(Runnable::run);
        if (replaced != null) {
            replaced.control.replace();
        }
        return node;
    }

    private void check(String name, @Nullable Cluster of, String host) throws Refused {
        if (nodes >= quotas.nodes()) {
            throw new Refused(Refused.UNAVAILABLE, "the server has " + nodes + " nodes, as many as it takes");
        }
        if (of == null && clusters.size() >= quotas.clusters()) {
            throw new Refused(Refused.UNAVAILABLE, "the server has " + clusters.size() + " clusters, as many as it takes");
        }
        if (of != null && of.nodes.size() >= quotas.clusterNodes()) {
            throw new Refused(Refused.TOO_MANY, "cluster " + name + " has " + of.nodes.size() + " nodes, as many as one may have");
        }
        int ofHost = byHost.getOrDefault(host, 0);
        if (ofHost >= quotas.hostNodes()) {
            throw new Refused(Refused.TOO_MANY, ofHost + " nodes have come from " + host + ", as many as may come from one address");
        }
    }

    /** Removes a node whose control stream has ended. Idempotent. */
    public void leave(ListedNode node) {
        List<Runnable> told = List.of();
        synchronized (this) {
            Cluster of = clusters.get(node.cluster);
            if (of != null && of.nodes.get(node.address) == node) {
                remove(of, node);
                told = changed(of);
                forget(node.cluster, of);
            }
        }
        told.forEach(Runnable::run);
    }

    private void remove(Cluster of, ListedNode node) {
        of.nodes.remove(node.address);
        nodes--;
        byHost.computeIfPresent(node.host, (host, count) -> count == 1 ? null : count - 1);
    }

    private void forget(String name, Cluster of) {
        if (of.nodes.isEmpty() && of.watches.isEmpty() && of.pairs == 0) {
            clusters.remove(name);
        }
    }

    // ------------------------------------------------------------------ lists

    /** Returns the nodes of a cluster; none if it is not known. */
    public synchronized Listing list(String cluster, int limit) {
        Cluster of = clusters.get(cluster);
        return of == null ? new Listing(lastVersion, List.of()) : listing(of, limit);
    }

    private static Listing listing(Cluster of, int limit) {
        return new Listing(of.version, of.nodes.values().stream().limit(limit).toList());
    }

    /**
     * Gives the nodes of a cluster as soon as their version is another one than {@code after}, or after {@link #WATCH_NANOS}. With too
     * many watchers it is given at once.
     */
    public void watch(String cluster, int limit, long after, Watcher watcher, long nowNanos) {
        Listing now;
        synchronized (this) {
            Cluster of = clusters.get(cluster);
            now = list(cluster, limit);
            if (of != null && of.version == after && watchers < WATCHERS_MAX) {
                of.watches.add(new Watch(watcher, limit, nowNanos + WATCH_NANOS));
                watchers++;
                return;
            }
        }
        watcher.onListing(now);
    }

    private List<Runnable> changed(Cluster of) {
        of.version = ++lastVersion;
        List<Runnable> told = new ArrayList<>();
        for (Watch watch : of.watches) {
            Listing listing = listing(of, watch.limit);
            told.add(() -> watch.watcher.onListing(listing));
        }
        watchers -= of.watches.size();
        of.watches.clear();
        return told;
    }

    // ------------------------------------------------------------------ pairs

    /**
     * Tells a node that another one wants a connection with it.
     *
     * @param from address from which the other one has come, for people
     * @throws Refused if the node is not there, or a quota is reached
     */
    public Pair connect(String cluster, String address, String from, Pair.Dialler dialler, long nowNanos) throws Refused {
        ListedNode node;
        Pair pair;
        String ticket;
        synchronized (this) {
            Cluster of = clusters.get(cluster);
            node = of == null ? null : of.nodes.get(address);
            if (of == null || node == null) {
                throw new Refused(Refused.NOT_FOUND, "no node of cluster " + cluster + " is here as " + address);
            }
            if (!node.isRelayed) {
                throw new Refused(Refused.NOT_FOUND, address + " takes no connections through the server (rendezvous.relay: never)");
            }
            if (pairs >= quotas.pairs()) {
                throw new Refused(Refused.UNAVAILABLE, "the server relays " + pairs + " connections, as many as it takes");
            }
            if (of.pairs >= quotas.clusterPairs()) {
                throw new Refused(
                        Refused.TOO_MANY, "cluster " + cluster + " has " + of.pairs + " relayed connections, as many as one may have");
            }
            ticket = tickets.get();
            pair = new Pair(cluster, ticket, dialler, nowNanos + TICKET_NANOS);
            of.pairs++;
            pairs++;
            waiting.put(ticket, pair);
        }
        node.control.connect(ticket, from);
        return pair;
    }

    /**
     * Takes the pair that a ticket is for. A ticket is good once.
     *
     * @throws Refused if there is none
     */
    public synchronized Pair accept(String cluster, String ticket) throws Refused {
        Pair pair = waiting.get(ticket);
        if (pair == null || !pair.cluster.equals(cluster)) {
            throw new Refused(Refused.NOT_FOUND, "the ticket is unknown, was used, or is too old");
        }
        waiting.remove(ticket);
        return pair;
    }

    /** Notes that a pair is connected no more, or will not be. Idempotent. */
    public synchronized void end(Pair pair) {
        if (pair.end()) {
            pairs--;
            waiting.remove(pair.ticket);
            Cluster of = clusters.get(pair.cluster);
            if (of != null) {
                of.pairs--;
                forget(pair.cluster, of);
            }
        }
    }

    // ------------------------------------------------------------------ time

    /** Ends waits that have taken too long. To be called about once a second. */
    public void onTime(long nowNanos) {
        List<Runnable> told = new ArrayList<>();
        synchronized (this) {
            List<Pair> late = waiting.values().stream().filter(pair -> pair.deadlineNanos - nowNanos <= 0).toList();
            for (Pair pair : late) {
                ticketsExpired++;
                end(pair);
                told.add(pair.dialler::onTimeout);
            }
            for (String name : List.copyOf(clusters.keySet())) {
                Cluster of = clusters.get(name);
                if (of == null) {
                    continue;
                }
                for (Watch watch : List.copyOf(of.watches)) {
                    if (watch.deadlineNanos - nowNanos <= 0) {
                        of.watches.remove(watch);
                        watchers--;
                        Listing listing = listing(of, watch.limit);
                        told.add(() -> watch.watcher.onListing(listing));
                    }
                }
                forget(name, of);
            }
        }
        told.forEach(Runnable::run);
    }

    // ------------------------------------------------------------------ report

    public synchronized List<Summary> summaries(int limit) {
        List<Summary> all = new ArrayList<>();
        clusters.forEach((name, of) -> {
            if (all.size() < limit) {
                int relayed = (int) of.nodes.values().stream().filter(ListedNode::isRelayed).count();
                all.add(new Summary(name, of.nodes.size(), relayed, of.pairs));
            }
        });
        return all;
    }

    /** Adds the present numbers by name. */
    public synchronized void gauges(Map<String, Long> gauges) {
        gauges.put("clusters", (long) clusters.size());
        gauges.put("nodes", (long) nodes);
        gauges.put("pairs", (long) pairs);
        gauges.put("pairs-waiting", (long) waiting.size());
        gauges.put("watchers", (long) watchers);
    }

    /** Returns the number of tickets with which nobody has come in time. */
    public synchronized long ticketsExpired() {
        return ticketsExpired;
    }
}
