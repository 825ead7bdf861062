package dev.tutti.campaign.cluster;

import dev.tutti.core.settings.Durations;
import dev.tutti.sim.SimulatedNode;
import java.time.Duration;
import java.util.TreeSet;

/** Starts, ends, departures and pauses of nodes, and what their clocks and processors do. */
public final class NodeActions {

    private NodeActions() {}

    public record Start(int node) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.START;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            if (cluster.hasProcess(node)) {
                return false;
            }
            cluster.start(node);
            return true;
        }

        @Override
        public String toString() {
            return "n" + node + " starts";
        }
    }

    public record Kill(int node) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.KILL;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            return cluster.hasProcess(node) && cluster.crash(node) == cluster;
        }

        @Override
        public String toString() {
            return "n" + node + " is killed";
        }
    }

    public record PowerOff(int node) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.POWER_OFF;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            return cluster.hasProcess(node) && cluster.powerOff(node) == cluster;
        }

        @Override
        public String toString() {
            return "n" + node + " loses its power";
        }
    }

    /** A power cycle: the node is back before any other has noticed. */
    public record Reboot(int node) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.POWER_OFF;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            return cluster.hasProcess(node) && cluster.powerOff(node).start(node) == cluster;
        }

        @Override
        public String toString() {
            return "n" + node + " is switched off and on";
        }
    }

    /** Loss of the disk of a node that is down; does nothing if the node is a founder. */
    public record LoseRecords(int node) implements Action {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.POWER_OFF;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return Action.setOf(node);
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            return cluster.outages().loseRecords(node);
        }

        @Override
        public String toString() {
            return "n" + node + " loses its records";
        }
    }

    /** An orderly stop: the node says goodbye. */
    public record Stop(int node) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.STOP;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            if (cluster.node(node).life() != SimulatedNode.Life.RUNNING) {
                return false;
            }
            cluster.outages().stop(node);
            return true;
        }

        @Override
        public String toString() {
            return "n" + node + " stops";
        }
    }

    public record Leave(int node) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.LEAVE;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            if (!cluster.isUp(node) || !cluster.seat(node).application.isMember()) {
                return false;
            }
            cluster.leave(node);
            return true;
        }

        @Override
        public String toString() {
            return "n" + node + " leaves";
        }
    }

    /** Departure of a node from the second group; it stays in the first. */
    public record LeaveAside(int node) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.LEAVE;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            Neighbours neighbours = cluster.neighbours();
            return neighbours != null && !cluster.outages().isStopping(node) && neighbours.leave(node);
        }

        @Override
        public String toString() {
            return "n" + node + " leaves the group beside";
        }
    }

    public record JoinAside(int node) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.LEAVE;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            Neighbours neighbours = cluster.neighbours();
            boolean isPossible = neighbours != null
                    && neighbours.hasLeft(node)
                    && cluster.node(node).life() == SimulatedNode.Life.RUNNING
                    && !cluster.outages().isStopping(node);
            if (isPossible) {
                cluster.joinAside(node);
            }
            return isPossible;
        }

        @Override
        public String toString() {
            return "n" + node + " joins the group beside again";
        }
    }

    public record JoinAgain(int node) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.LEAVE;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            if (cluster.node(node).life() != SimulatedNode.Life.RUNNING
                    || cluster.outages().isStopping(node)
                    || !cluster.seat(node).application.isLeft()) {
                return false;
            }
            cluster.joinAgain(node);
            return true;
        }

        @Override
        public String toString() {
            return "n" + node + " joins again";
        }
    }

    public record Pause(int node) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.PAUSE;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            boolean isRunning = cluster.node(node).life() == SimulatedNode.Life.RUNNING;
            cluster.pause(node);
            return isRunning;
        }

        @Override
        public String toString() {
            return "n" + node + " is paused";
        }
    }

    /** A short pause, like a garbage collection. */
    public record Stall(int node, Duration time) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.PAUSE;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.simulation().after(time, () -> cluster.resume(node));
            return new Pause(node).strike(cluster);
        }

        @Override
        public String toString() {
            return "n" + node + " stands still for " + Durations.print(time);
        }
    }

    public record Resume(int node) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.PAUSE;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.resume(node);
            return false;
        }

        @Override
        public String toString() {
            return "n" + node + " goes on";
        }
    }

    public record Compute(int node, Duration perTurn, Duration perInput) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.SLOW_NODE;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.node(node).withTurn(perTurn.toNanos(), perInput.toNanos());
            return true;
        }

        @Override
        public String toString() {
            return "n" + node + " takes " + Durations.print(perTurn) + " for a turn and " + Durations.print(perInput)
                    + " for an input";
        }
    }

    public record SetWallClock(int node, Duration step) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.WALL_CLOCK;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.node(node).setWallClock(step);
            return true;
        }

        @Override
        public String toString() {
            return "the wall clock of n" + node + " is set " + (step.isNegative() ? "back" : "forward") + " by "
                    + Durations.print(step.abs());
        }
    }

    public record Leap(int node, Duration step) implements Action.OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.LEAP;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            boolean isPossible = cluster.hasProcess(node);
            if (isPossible) {
                cluster.node(node).leap(step);
            }
            return isPossible;
        }

        @Override
        public String toString() {
            return "the clock of n" + node + " leaps by " + Durations.print(step);
        }
    }
}
