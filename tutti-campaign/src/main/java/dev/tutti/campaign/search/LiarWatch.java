package dev.tutti.campaign.search;

import dev.tutti.campaign.cluster.SimulatedCluster;
import dev.tutti.campaign.lies.Theme;
import dev.tutti.campaign.schedule.LiarSwarm;
import dev.tutti.campaign.schedule.Schedule;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.protocols.node.NodeEvents;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.check.History;
import dev.tutti.sim.check.Violation;
import java.util.Locale;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Detects effects of a lying member on the others that the properties of a history do not cover: a view with members
 * that do not exist, a suspicion of a node that all others hear, and view changes that keep a member waiting.
 */
final class LiarWatch {

    /**
     * Longest time for which a member may stand in one view change, in multiples of its wait for a silent coordinator:
     * three for a coordinator that lies, one for an honest one that still waits for the liar itself, and one for a view
     * without it.
     */
    private static final int PATIENCES_MAX = 5;

    private final SimulatedCluster cluster;
    private final Theme theme;
    private final int liar;
    private final TreeSet<Integer> core;
    private final TreeMap<Integer, Long> steadyNanos = new TreeMap<>();
    private final TreeMap<Integer, Integer> frozen = new TreeMap<>();
    private int looks;
    private @Nullable String broken;

    LiarWatch(SimulatedCluster cluster, Schedule schedule) {
        this.cluster = cluster;
        this.theme = Theme.of(schedule.seed());
        this.liar = LiarSwarm.liarOf(schedule);
        this.core = schedule.world().core();
        cluster.withWitness(this::onEntry).withListener(this::onEvent);
    }

    /** Returns the first violation; null if there was none. */
    @Nullable Violation broken() {
        return broken == null ? null : new Violation("L1", broken);
    }

    private void onEntry(History.Entry entry) {
        if (entry instanceof History.Viewed(Member member, var view)) {
            for (Member other : view.members()) {
                if (!cluster.isAddressed(other.node())) {
                    broken = member + " has installed a view with " + other + ", which does not exist: " + view;
                }
            }
        }
    }

    /**
     * Checks suspicions, and the closing of sessions with members that have not answered a ballot. In these schedules no node is
     * cut off or paused: all nodes that run hear each other, and answer unless they wait for the liar.
     */
    private void onEvent(int number, NodeEvents.Event event) {
        if (number == liar) {
            return;
        }
        if (event instanceof NodeEvents.Suspected suspected && isHonestAndRunning(suspected.node())) {
            broken = "n" + number + " has judged " + suspected.node() + ", which all hear: " + suspected.reason();
        } else if (event instanceof NodeEvents.SessionClosed closed
                && closed.reason().contains("no answer to ballot")
                && isHonestAndRunning(closed.node())) {
            broken = "n" + number + " has put out " + closed.node() + ", which answers: " + closed.reason();
        }
    }

    private boolean isHonestAndRunning(NodeId id) {
        if (!cluster.isAddressed(id)) {
            return false;
        }
        SimulatedNode node = cluster.node(cluster.numberOf(new Member(id, 1)));
        return node.life() == SimulatedNode.Life.RUNNING && node.id().equals(id) && cluster.numberOf(node) != liar;
    }

    /** Restarts the time that each member has for its view change, because a member leaves or comes back. */
    void onTrouble() {
        steadyNanos.clear();
    }

    /**
     * Samples once which members stand still in a view change.
     *
     * @param patienceNanos time for which a member waits for a silent coordinator
     */
    void look(long patienceNanos) {
        looks++;
        long now = cluster.simulation().nowNanos();
        for (int node : core) {
            if (!cluster.isUp(node) || cluster.seat(node).isSteady()) {
                steadyNanos.put(node, now);
                continue;
            }
            frozen.merge(node, 1, Integer::sum);
            if (now - steadyNanos.computeIfAbsent(node, first -> now) > PATIENCES_MAX * patienceNanos) {
                broken = "n" + node + " has stood still in a view change for " + PATIENCES_MAX * patienceNanos / 1_000_000 + " ms";
            }
        }
    }

    /** Checks, after the last sample, that no member stood still in too many of them. */
    void end() {
        int most = frozen.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        double share = looks == 0 ? 0 : (double) most / looks;
        if (share > frozenMax()) {
            broken = String.format(
                    Locale.ROOT, "a member stood still for %.0f %% of the time, more than %.0f %%", 100 * share, 100 * frozenMax());
        }
    }

    /**
     * Returns whether members leave and come back while the liar goes on. They do not if it answers no ballot: each
     * session that closes readmits the members that were left out.
     */
    boolean isStirred() {
        return theme != Theme.SILENCE;
    }

    /** Returns the share of the time for which this kind of lie may keep a member in view changes. */
    private double frozenMax() {
        return switch (theme) {
            case VERDICTS, PASSING_ON, REPAIRS -> 0.1;
            case CLAIMS, SILENCE -> 0.3;
            case NUMBERS, DECISIONS -> 0.7;
            case ANYTHING, AGE, INVENTED_MEMBERS, ADDRESSES -> 1;
        };
    }
}
