package dev.tutti.campaign.search;

import dev.tutti.campaign.cluster.Action;
import dev.tutti.campaign.cluster.NetworkActions;
import dev.tutti.campaign.cluster.NodeActions;
import dev.tutti.campaign.cluster.ScheduledFault;
import dev.tutti.campaign.cluster.SimulatedCluster;
import dev.tutti.campaign.cluster.SimulatedMember;
import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.node.NodeEvents;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.check.History;
import dev.tutti.sim.check.Violation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Records the rare states that a run reaches: those that the model check of the view change left open, and others. */
final class Witness {

    /** Incarnations of a node and of its peer. */
    private record Ends(long incarnation, long peerIncarnation) {}

    private record Opening(long epoch, long timeNanos) {}

    private record Past(long timeNanos, ScheduledFault fault) {}

    private static final long TOGETHER_NANOS = 10_000_000_000L;

    private final SimulatedCluster cluster;
    private final Coverage coverage;
    private final Map<Member, View> views = new HashMap<>();
    private final Set<ViewId> known = new HashSet<>();
    private final ArrayDeque<Past> recent = new ArrayDeque<>();
    private final Map<Ends, Opening> openings = new HashMap<>();
    private @Nullable Violation broken;
    private boolean isStaying;
    private long lastViewNanos;

    Witness(SimulatedCluster cluster, Coverage coverage) {
        this.cluster = cluster;
        this.coverage = coverage;
        cluster.withWitness(this::onEntry).withListener(this::onEvent);
    }

    /** Returns the time at which a member has installed a view last. */
    long lastViewNanos() {
        return lastViewNanos;
    }

    /** Sets whether each view that comes from now on is a violation. */
    void stay(boolean isStaying) {
        this.isStaying = isStaying;
    }

    int viewCount() {
        return known.size();
    }

    // ------------------------------------------------------------------ entries of the history

    private void onEntry(History.Entry entry) {
        switch (entry) {
            case History.Viewed(Member member, View view) -> onView(member, view);
            case History.Suspended suspended ->
                coverage.count("state.suspended: outside of the primary partition, and told");
            case History.Left left -> {
                if (left.reason().equals("left")) {
                    coverage.count("state.left");
                }
                views.remove(left.member());
            }
            case History.Told told -> onTold(told.message(), told.delivery());
            default -> {
                // Messages are counted by the protocols.
            }
        }
    }

    private void onTold(History.Message message, Delivery delivery) {
        boolean isOver = !delivery.knownIn().equals(delivery.sentIn());
        String what = message.isMulticast() ? "a multicast" : "a unicast";
        if (delivery.isByAll()) {
            coverage.count("state.receipt" + (isOver ? "-over-views: " : ": ") + what);
        } else if (!delivery.missedBy().isEmpty()) {
            coverage.count("state.receipt-missed: a member tells that it has not delivered " + what);
        } else if (isOver) {
            coverage.count("state.receipt-failed: the view has changed before all had " + what);
        }
    }

    private void onView(Member member, View view) {
        lastViewNanos = cluster.simulation().nowNanos();
        if (isStaying && broken == null) {
            broken = new Violation("L1", member + " is told of " + view
                    + ", though nothing has happened that a view does not bear");
        }
        View before = views.put(member, view);
        if (before != null
                && !before.coordinator().equals(view.coordinator())
                && view.contains(before.coordinator())) {
            coverage.count("state.ranks-changed: the coordinator is another, and the former one is still there");
        }
        if (before != null && before.members().equals(view.members())) {
            coverage.count("state.same-members: a view that only repairs lost sessions");
        }
        if (!known.add(view.id())) {
            return;
        }
        long large = view.parts().stream().filter(part -> part.members().size() > 1).count();
        if (large >= 2) {
            coverage.count("state.merge: of two views of two or more");
        }
        if (large >= 3) {
            coverage.count("state.merge-of-three: or more views of two or more");
        }
        if (view.id().attempt() > 1) {
            coverage.count("state.second-attempt: a view of a ballot that was not the first under its number");
        }
    }

    // ------------------------------------------------------------------ events of nodes

    private void onEvent(int number, NodeEvents.Event event) {
        String name =
                switch (event) {
                    case NodeEvents.SessionOpened opened -> "session-opened";
                    case NodeEvents.SessionClosed closed -> closed.isGraceful() ? "session-left" : "session-lost";
                    case NodeEvents.Resumed resumed -> "session-resumed";
                    case NodeEvents.Refused refused -> "connection-refused";
                    case NodeEvents.Unreachable unreachable -> "unreachable";
                    case NodeEvents.Suspected suspected -> "suspected";
                    case NodeEvents.Late late -> "late";
                    case NodeEvents.StackMismatch mismatch -> "stack-mismatch";
                    case NodeEvents.Distrusted distrusted -> "distrusted";
                };
        coverage.count("event." + name);
        if (event instanceof NodeEvents.SessionOpened opened) {
            onOpened(number, opened);
        }
    }

    /**
     * Checks the order of sessions (decision D11 of docs/design/membership.md), also with another run of a node. A
     * session may begin at one end on an old hello, while the other end still has the session before: that end does not
     * accept the new one before it has closed its own, so that neither misses the break
     * (docs/design/links.md#history). A number must never return: the two ends could take one session for
     * another. (Two sessions that begin within one turn are both reported with the number of the later.)
     */
    private void onOpened(int number, NodeEvents.SessionOpened opened) {
        int peer = Integer.parseInt(opened.node().name().substring(1));
        if (cluster.node(peer).life() == SimulatedNode.Life.DOWN || !cluster.node(peer).id().equals(opened.node())) {
            return;
        }
        long incarnation = cluster.node(number).id().incarnation();
        long epoch = 0;
        for (Session own : Session.of(cluster, number, peer)) {
            if (own.incarnation == opened.node().incarnation()) {
                epoch = own.epoch;
            }
        }
        long now = cluster.simulation().nowNanos();
        Opening before = openings.put(new Ends(incarnation, opened.node().incarnation()), new Opening(epoch, now));
        boolean isOneTurn = before != null && before.timeNanos() == now;
        if (before != null && broken == null && (isOneTurn ? before.epoch() > epoch : before.epoch() >= epoch)) {
            broken = new Violation(
                    "D11", "n" + number + " has opened session " + epoch + " with n" + peer + " after session " + before.epoch());
        }
        for (Session theirs : Session.of(cluster, peer, number)) {
            if (theirs.incarnation != incarnation) {
                if (theirs.isOpen) {
                    coverage.count("state.sessions-overlap: with a new run, while the peer has one with the run before");
                }
            } else if (theirs.isOpen && theirs.epoch < epoch) {
                coverage.count("state.session-too-early: while the peer has the one before");
            } else if (epoch > 1) {
                coverage.count("state.session-again: after both have closed one");
            }
        }
    }

    /** Returns the first violation; null if there was none. */
    @Nullable Violation broken() {
        return broken;
    }

    /** State of a node's session with one run of another node. */
    private static final class Session implements Report {
        private boolean isOpen;
        private long epoch;
        private long incarnation;

        /** Returns the sessions with all runs of the peer that the node remembers. */
        static List<Session> of(SimulatedCluster cluster, int node, int peer) {
            List<Session> sessions = new ArrayList<>();
            cluster.seat(node).machine().report(new Nothing() {
                @Override
                public Report section(String name) {
                    return name.equals("links") ? links("n" + peer, sessions) : new Nothing();
                }
            });
            return sessions;
        }

        private static Report links(String peer, List<Session> sessions) {
            return new Nothing() {
                @Override
                public Report section(String name) {
                    if (!name.equals(peer)) {
                        return new Nothing();
                    }
                    sessions.add(new Session());
                    return sessions.getLast();
                }
            };
        }

        @Override
        public void put(String name, long value) {
            switch (name) {
                case "epoch" -> epoch = value;
                case "incarnation" -> incarnation = value;
                default -> {
                    // Not needed.
                }
            }
        }

        @Override
        public void put(String name, String value) {
            isOpen |= name.equals("state") && !value.equals("closed");
        }

        @Override
        public Report section(String name) {
            return new Nothing();
        }
    }

    /** A report that ignores everything. */
    private static class Nothing implements Report {
        @Override
        public void put(String name, long value) {
            // Not needed.
        }

        @Override
        public void put(String name, String value) {
            // Not needed.
        }

        @Override
        public Report section(String name) {
            return this;
        }
    }

    // ------------------------------------------------------------------ actions of schedules

    /** Returns the state of the cluster before an action, for {@link #after}. */
    String before(Action action) {
        return switch (action) {
            case NodeActions.Start start when isMissed(start.node()) -> "state.restart-before-noticed: its past is in a view";
            case NodeActions.Start start when cluster.wasStarted(start.node()) -> "state.restart";
            case NodeActions.Kill kill when isChanging() -> "state.kill-in-view-change";
            case NodeActions.PowerOff off when isChanging() -> "state.power-off-in-view-change";
            case NodeActions.Leave leave when isChanging() -> "state.leave-in-view-change";
            case NodeActions.Stop stop when isChanging() -> "state.stop-in-view-change";
            case NetworkActions.Lose lose when isChanging() -> "state.partition-in-view-change";
            case NetworkActions.Break broken when isChanging() -> "state.break-in-view-change";
            case NodeActions.Pause pause when isChanging() -> "state.pause-in-view-change";
            default -> "";
        };
    }

    /** Counts an action that has done something. */
    void after(Action action, String state) {
        coverage.count("fault." + action.fault());
        if (!state.isEmpty()) {
            coverage.count(state);
        }
        long now = cluster.simulation().nowNanos();
        recent.add(new Past(now, action.fault()));
        while (recent.getFirst().timeNanos() < now - TOGETHER_NANOS) {
            recent.removeFirst();
        }
        if (action instanceof NodeActions.Start
                && cluster.node(action.nodes().first()).run() > 1
                && has(ScheduledFault.KILL, ScheduledFault.POWER_OFF)
                && has(ScheduledFault.PARTITION, ScheduledFault.ONE_WAY, ScheduledFault.BRIDGE, ScheduledFault.RING, ScheduledFault.FLAPPING)) {
            coverage.count("state.partition-crash-restart: within 10 s");
        }
    }

    private boolean has(ScheduledFault... faults) {
        List<ScheduledFault> wanted = List.of(faults);
        return recent.stream().anyMatch(past -> wanted.contains(past.fault()));
    }

    private boolean isMissed(int number) {
        if (!cluster.wasStarted(number)) {
            return false;
        }
        for (SimulatedMember seat : cluster.present()) {
            View view = seat.view();
            if (view != null && view.members().stream().anyMatch(member -> cluster.numberOf(member) == number)) {
                return true;
            }
        }
        return false;
    }

    /** Reports whether a member has answered a ballot whose view it has not installed yet. */
    private boolean isChanging() {
        for (SimulatedMember seat : cluster.present()) {
            boolean[] isChanging = new boolean[1];
            seat.machine().report(new Nothing() {
                @Override
                public void put(String name, String value) {
                    isChanging[0] |= name.equals("state") && (value.equals("answered") || value.equals("catching-up"));
                }
            });
            if (isChanging[0]) {
                return true;
            }
        }
        return false;
    }
}
