package dev.tutti.campaign.cluster;

import dev.tutti.core.settings.Durations;
import dev.tutti.sim.Network;
import dev.tutti.sim.SimulatedNode;
import java.time.Duration;
import java.util.Locale;
import java.util.TreeSet;

/** Faults between nodes: cuts, delays, ends of sessions and of connections. */
public final class NetworkActions {

    private NetworkActions() {}

    /** A cut between two sides, in both directions. */
    public record Lose(TreeSet<Integer> side, TreeSet<Integer> other, ScheduledFault fault) implements Action.OfSides {
        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.network().partition(cluster.nodes(side), cluster.nodes(other));
            return true;
        }

        @Override
        public String toString() {
            return Action.names(side) + " and " + Action.names(other) + " lose each other (" + fault + ")";
        }
    }

    public record Find(TreeSet<Integer> side, TreeSet<Integer> other) implements Action.OfSides {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.PARTITION;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            for (SimulatedNode one : cluster.nodes(side)) {
                for (SimulatedNode another : cluster.nodes(other)) {
                    cluster.network().heal(one, another);
                    cluster.network().heal(another, one);
                }
            }
            return false;
        }

        @Override
        public String toString() {
            return Action.names(side) + " and " + Action.names(other) + " find each other";
        }
    }

    public record Miss(TreeSet<Integer> side, TreeSet<Integer> other) implements Action.OfSides {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.ONE_WAY;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            for (SimulatedNode one : cluster.nodes(side)) {
                for (SimulatedNode another : cluster.nodes(other)) {
                    cluster.network().cut(one, another);
                }
            }
            return true;
        }

        @Override
        public String toString() {
            return Action.names(side) + " can't get through to " + Action.names(other);
        }
    }

    public record HealAll() implements Action {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.PARTITION;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.heal();
            return false;
        }

        @Override
        public String toString() {
            return "all cuts heal";
        }
    }

    /** Added latency in one direction, until another delay replaces it; zero restores the original latency. */
    public record Delay(TreeSet<Integer> side, TreeSet<Integer> other, Duration latency) implements Action.OfSides {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.DELAY;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.paths().delay(cluster.nodes(side), cluster.nodes(other), latency);
            return true;
        }

        @Override
        public String toString() {
            return "what goes from " + Action.names(side) + " to " + Action.names(other) + " takes " + Durations.print(latency) + " more";
        }
    }

    /** Closes a node's session with another; returns whether the node runs and the other was ever started. */
    private static boolean giveUp(SimulatedCluster cluster, int number, int other) {
        SimulatedNode node = cluster.node(number);
        boolean isPossible = cluster.isUp(number) && node.life() == SimulatedNode.Life.RUNNING && cluster.wasStarted(other);
        if (isPossible) {
            SimulatedMember seat = cluster.seat(number);
            node.execute(now -> seat.machine().giveUp(now, cluster.node(other).id(), "given up by the schedule"));
        }
        return isPossible;
    }

    /** A wrong suspicion. */
    public record GiveUp(int node, int other) implements Action.OfTwo {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.GIVE_UP;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            return giveUp(cluster, node, other);
        }

        @Override
        public String toString() {
            return "n" + node + " gives up n" + other;
        }
    }

    /** Closing of all sessions between two sides, at both ends: they do not hear each other until they dial again. */
    public record Part(TreeSet<Integer> side, TreeSet<Integer> other) implements Action.OfSides {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.GIVE_UP;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            boolean isAny = false;
            for (int node : side) {
                for (int another : other) {
                    isAny |= giveUp(cluster, node, another) | giveUp(cluster, another, node);
                }
            }
            return isAny;
        }

        @Override
        public String toString() {
            return Action.names(side) + " and " + Action.names(other) + " give each other up";
        }
    }

    /** An outage shorter than a time-out: dials fail, and frames under way arrive afterwards. */
    public record Outage(int node, int other, Duration time) implements Action.OfTwo {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.PARTITION;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.simulation().after(time, () -> new Find(Action.setOf(node), Action.setOf(other)).strike(cluster));
            return new Lose(Action.setOf(node), Action.setOf(other), ScheduledFault.PARTITION).strike(cluster);
        }

        @Override
        public String toString() {
            return "n" + node + " and n" + other + " do not hear each other for " + Durations.print(time);
        }
    }

    public record Clog(int node) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.CLOG;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.network().clog(cluster.node(node));
            return true;
        }

        @Override
        public String toString() {
            return "n" + node + " is clogged";
        }
    }

    public record Unclog(int node) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.CLOG;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.network().unclog(cluster.node(node));
            return false;
        }

        @Override
        public String toString() {
            return "n" + node + " flows again";
        }
    }

    public record Break(int node, int other, Network.Notice notice) implements Action.OfTwo {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.BREAK;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            return cluster.network().breakConnections(cluster.node(node), cluster.node(other), notice) > 0;
        }

        @Override
        public String toString() {
            return "connections of n" + node + " and n" + other + " break, noticed by "
                    + notice.name().toLowerCase(Locale.ROOT);
        }
    }

    /** Corruption that TLS or TCP's checksum detects: the stream ends at the frame concerned. */
    public record Corrupt(int node, int other) implements Action.OfTwo {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.CORRUPTION;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            return cluster.network().corrupt(cluster.node(node), cluster.node(other)) > 0;
        }

        @Override
        public String toString() {
            return "the stream from n" + node + " to n" + other + " is corrupted";
        }
    }
}
