package dev.tutti.balancer.internal.member;

import dev.tutti.announce.message.Announcement;
import dev.tutti.announce.message.ContextState;
import dev.tutti.announce.message.WebContext;
import dev.tutti.balancer.internal.table.FormerNodes;
import dev.tutti.balancer.internal.table.RoutingTable;
import dev.tutti.balancer.internal.table.WebNode;
import dev.tutti.balancer.internal.table.WebNode.Origin;
import dev.tutti.core.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that are known, from all sources, and the table that is made of them. Of two members with one route the older one
 * counts; a member counts before a node with a lease, and before a listed one. Thread-safe; {@link #table} takes no lock.
 */
public final class Directory {

    /** Most nodes of each source; further ones are refused. */
    public static final int NODES_MAX = 1_000;

    private static final long AGE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Node that a member has announced. */
    private record Told(long sequence, Announcement content) {}

    /** Node with a lease. */
    private record Leased(WebNode node, long endNanos, ContextState order) {}

    private final boolean isSticky;
    private final NodeTallies tallies;
    private final LongSupplier nanoTime;
    private volatile RoutingTable table;

    // Guarded by the lock.
    private List<Member> members = List.of();
    private final Map<Member, Told> told = new HashMap<>();
    private final Map<String, Leased> leased = new TreeMap<>();
    private Map<String, Member> speakers = new LinkedHashMap<>();
    private FormerNodes former = FormerNodes.NONE;
    private long agedNanos;
    private long crashes;

    /** @param isSticky whether sessions are kept to their nodes */
    public Directory(boolean isSticky, NodeTallies tallies, LongSupplier nanoTime) {
        this.isSticky = isSticky;
        this.tallies = tallies;
        this.nanoTime = nanoTime;
        this.table = RoutingTable.empty(isSticky);
        this.agedNanos = nanoTime.getAsLong();
    }

    public RoutingTable table() {
        return table;
    }

    public NodeTallies tallies() {
        return tallies;
    }

    // ------------------------------------------------------------------ members

    /** Replaces the members, the oldest first. Nodes of others are gone. */
    synchronized void onView(List<Member> present) {
        members = List.copyOf(present);
        told.keySet().retainAll(members);
        rebuild();
    }

    /**
     * Takes the announcement of a member.
     *
     * @return the reason why it does not count; null if it does
     */
    synchronized @Nullable String onAnnounced(Member member, long sequence, Announcement content) {
        if (!told.containsKey(member) && told.size() >= NODES_MAX) {
            return "there are " + NODES_MAX + " nodes already, which is the most that a balancer takes";
        }
        Told before = told.put(member, new Told(sequence, content));
        if (before == null) {
            tallies.of(content.route()).onNew();
        }
        tallies.of(content.route()).onAnnounced(content.sessions());
        rebuild();
        return refusal(member);
    }

    /** Returns the reason why the announcement of a member does not count; null if it does, or if there is none. */
    synchronized @Nullable String refusal(Member member) {
        Told own = told.get(member);
        Member speaker = own == null ? null : speakers.get(own.content().route());
        if (own == null || speaker == null || speaker.equals(member)) {
            return null;
        }
        Told other = told.get(speaker);
        return "route " + own.content().route() + " is that of the older member " + speaker + " at "
                + (other == null ? "?" : other.content().url()) + "; give the node at " + own.content().url() + " another route (jvmRoute)";
    }

    /** Returns the member that announces a route; null if none does. */
    public synchronized @Nullable Member speaker(String route) {
        return speakers.get(route);
    }

    /** Returns the number of the announcement of a member that the table has; 0 for none. */
    synchronized long sequence(Member member) {
        Told own = told.get(member);
        return own == null ? 0 : own.sequence();
    }

    /** Returns the route that a member announces; empty if it announces none. */
    synchronized String route(Member member) {
        Told own = told.get(member);
        return own == null ? "" : own.content().route();
    }

    /** Returns whether no request is in flight that the present announcement of a member does not allow. */
    synchronized boolean isSettled(Member member) {
        Told own = told.get(member);
        if (own == null) {
            return false;
        }
        for (String path : tallies.of(own.content().route()).inFlightOfContexts().keySet()) {
            boolean isAllowed = own.content().contexts().stream()
                    .anyMatch(context -> context.path().equals(path) && context.state() != ContextState.STOPPED);
            if (!isAllowed) {
                return false;
            }
        }
        return true;
    }

    // ------------------------------------------------------------------ leases

    /** Takes nodes that do not announce themselves. They stay. */
    public synchronized void onListed(List<WebNode> nodes) {
        for (WebNode node : nodes) {
            leased.put(node.route(), new Leased(node, nanoTime.getAsLong() + Long.MAX_VALUE, ContextState.ENABLED));
        }
        rebuild();
    }

    /**
     * Takes a node that is no member, or replaces it.
     *
     * @param leaseNanos time for which it stays without {@link #onLease} being called again
     * @return the reason why it is refused; null if it is not
     */
    public synchronized @Nullable String onLease(WebNode node, long leaseNanos) {
        Member speaker = speakers.get(node.route());
        if (speaker != null) {
            return "route " + node.route() + " is that of member " + speaker + "; give this node another JVMRoute";
        }
        Leased before = leased.get(node.route());
        if (before != null && before.node().origin() == Origin.LISTED) {
            return "route " + node.route() + " is listed in balancer.nodes; give this node another JVMRoute";
        }
        if (before == null && leased.size() >= NODES_MAX) {
            return "there are " + NODES_MAX + " nodes already, which is the most that a balancer takes";
        }
        boolean isMoved = before == null || !before.node().content().url().equals(node.content().url());
        if (isMoved) {
            tallies.of(node.route()).onNew();
        }
        ContextState order = before == null ? ContextState.ENABLED : before.order();
        Leased now = new Leased(node, nanoTime.getAsLong() + leaseNanos, order);
        leased.put(node.route(), now);
        // A lease that is only prolonged does not change the table.
        if (before == null || !before.node().equals(node)) {
            rebuild();
        }
        return null;
    }

    /** Returns the node of a lease as it was announced, without orders; null if there is none, or it is listed. */
    public synchronized @Nullable WebNode leased(String route) {
        Leased lease = leased.get(route);
        return lease == null || lease.node().origin() == Origin.LISTED ? null : lease.node();
    }

    /** Ends a lease. */
    public synchronized void onEnded(String route) {
        if (leased(route) != null) {
            leased.remove(route);
            rebuild();
        }
    }

    /** Lets a node with a lease, or a listed one, take no more requests than {@code state} allows. */
    public synchronized boolean order(String route, ContextState state) {
        Leased lease = leased.computeIfPresent(route, (_, before) -> new Leased(before.node(), before.endNanos(), state));
        if (lease != null) {
            rebuild();
        }
        return lease != null;
    }

    /** Ends leases that are over. Has to be called once a second or so. */
    public synchronized void onTime() {
        long nowNanos = nanoTime.getAsLong();
        if (leased.values().removeIf(lease -> nowNanos - lease.endNanos() >= 0)) {
            rebuild();
        }
        if (nowNanos - agedNanos >= AGE_NANOS) {
            agedNanos = nowNanos;
            tallies.age();
        }
        tallies.retain(table);
    }

    /** Returns the number of nodes that went without having stopped their contexts. */
    public synchronized long crashes() {
        return crashes;
    }

    // ------------------------------------------------------------------ table

    private void rebuild() {
        Map<String, WebNode> nodes = new TreeMap<>();
        Map<String, Member> speaking = new LinkedHashMap<>();
        for (Member member : members) {
            Told own = told.get(member);
            if (own != null && speaking.putIfAbsent(own.content().route(), member) == null) {
                nodes.put(own.content().route(), new WebNode(own.content(), Origin.GROUP, false));
            }
        }
        for (Leased lease : leased.values()) {
            nodes.putIfAbsent(lease.node().route(), restricted(lease));
        }
        for (WebNode node : table.nodes()) {
            if (!nodes.containsKey(node.route())) {
                former = former.with(node);
                crashes += node.isStopped() ? 0 : 1;
            }
        }
        speakers = speaking;
        table = new RoutingTable(new ArrayList<>(nodes.values()), former, isSticky);
    }

    private static WebNode restricted(Leased lease) {
        WebNode node = lease.node();
        if (lease.order() == ContextState.ENABLED) {
            return node;
        }
        List<WebContext> contexts = node.content().contexts().stream()
                .map(context -> context.in(context.state().stricter(lease.order())))
                .toList();
        return new WebNode(node.content().with(contexts), node.origin(), node.isStandby());
    }
}
