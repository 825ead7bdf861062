package dev.tutti.campaign.cluster;

import dev.tutti.core.Member;
import dev.tutti.core.settings.Durations;
import dev.tutti.sim.Network;
import dev.tutti.sim.SimulatedNode;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a schedule does to a cluster. {@link #toString} is a sentence, which a schedule can be read from.
 *
 * <p>An action that does not fit the state of the cluster does nothing, so that a schedule stays valid when other
 * actions are removed from it.
 */
public sealed interface Action {

    /** Returns the kind of fault that it belongs to. */
    ScheduledFault fault();

    /** Returns the numbers of the nodes that it names. */
    default TreeSet<Integer> nodes() {
        return setOf();
    }

    /**
     * Performs it.
     *
     * @return whether there was anything to do
     */
    default boolean strike(SimulatedCluster cluster) {
        return false;
    }

    /** An action on one node. */
    sealed interface OfNode extends Action {
        int node();

        @Override
        default TreeSet<Integer> nodes() {
            return setOf(node());
        }
    }

    /** An action between two nodes. */
    sealed interface OfTwo extends Action {
        int node();

        int other();

        @Override
        default TreeSet<Integer> nodes() {
            return setOf(node(), other());
        }
    }

    /** An action between all nodes of one side and all nodes of another. */
    sealed interface OfSides extends Action {
        TreeSet<Integer> side();

        TreeSet<Integer> other();

        @Override
        default TreeSet<Integer> nodes() {
            TreeSet<Integer> nodes = new TreeSet<>(side());
            nodes.addAll(other());
            return nodes;
        }
    }

    record Start(int node) implements OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.START;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            if (cluster.node(node).life() != SimulatedNode.Life.DOWN) {
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

    record Kill(int node) implements OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.KILL;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            return isUp(cluster, node) && cluster.crash(node) == cluster;
        }

        @Override
        public String toString() {
            return "n" + node + " is killed";
        }
    }

    record PowerOff(int node) implements OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.POWER_OFF;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            return isUp(cluster, node) && cluster.powerOff(node) == cluster;
        }

        @Override
        public String toString() {
            return "n" + node + " loses its power";
        }
    }

    /** A power cycle: the node is back before any other has noticed. */
    record Reboot(int node) implements OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.POWER_OFF;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            return isUp(cluster, node) && cluster.powerOff(node).start(node) == cluster;
        }

        @Override
        public String toString() {
            return "n" + node + " is switched off and on";
        }
    }

    /** Loss of the disk of a node that is down; does nothing if the node is a founder. */
    record LoseRecords(int node) implements Action {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.POWER_OFF;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            return cluster.loseRecords(node);
        }

        @Override
        public String toString() {
            return "n" + node + " loses its records";
        }
    }

    /** An orderly stop: the node says goodbye. */
    record Stop(int node) implements OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.STOP;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            if (cluster.node(node).life() != SimulatedNode.Life.RUNNING) {
                return false;
            }
            cluster.beginStop(node);
            return true;
        }

        @Override
        public String toString() {
            return "n" + node + " stops";
        }
    }

    record Leave(int node) implements OfNode {
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
    record LeaveAside(int node) implements OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.LEAVE;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            return cluster.leaveAside(node);
        }

        @Override
        public String toString() {
            return "n" + node + " leaves the group beside";
        }
    }

    record JoinAside(int node) implements OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.LEAVE;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            return cluster.joinAsideAgain(node);
        }

        @Override
        public String toString() {
            return "n" + node + " joins the group beside again";
        }
    }

    record JoinAgain(int node) implements OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.LEAVE;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            if (cluster.node(node).life() != SimulatedNode.Life.RUNNING
                    || cluster.isStopping(node)
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

    record Pause(int node) implements OfNode {
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
    record Stall(int node, Duration time) implements OfNode {
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

    record Resume(int node) implements OfNode {
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

    /** @param receiver 0 for all */
    record Send(int node, int count, int length, int receiver, Band band) implements Action {

        public Send(int node, int count, int length, int receiver) {
            this(node, count, length, receiver, Band.ORDERED);
        }

        @Override
        public ScheduledFault fault() {
            return ScheduledFault.WORK;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return receiver == 0 ? setOf(node) : setOf(node, receiver);
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            if (!cluster.isUp(node)) {
                return false;
            }
            Member to = null;
            if (receiver != 0) {
                // A receiver that has left or crashed is allowed: the other members may not know it yet.
                if (!cluster.wasStarted(receiver) || !cluster.seat(receiver).application.isMember()) {
                    return false;
                }
                to = cluster.seat(receiver).member();
            }
            cluster.seat(node).send(to, count, length, band);
            cluster.sendAside(node);
            return true;
        }

        @Override
        public String toString() {
            return "n" + node + " sends " + count + " messages of " + length + " bytes to "
                    + (receiver == 0 ? "all" : "n" + receiver) + band;
        }
    }

    record Talk(int node, Duration period) implements OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.WORK;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.chatter(node, period);
            return true;
        }

        @Override
        public String toString() {
            return "n" + node + " talks every " + Durations.print(period);
        }
    }

    record Quiet() implements Action {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.WORK;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.quiet();
            return false;
        }

        @Override
        public String toString() {
            return "nobody talks";
        }
    }

    /** @param pace zero for at once, null for never */
    record Consume(int node, @Nullable Duration pace) implements OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.SLOW_APPLICATION;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            if (!Action.isUp(cluster, node)) {
                return false;
            }
            if (pace == null) {
                cluster.seat(node).application.stick();
                return true;
            }
            cluster.seat(node).application.setPace(pace);
            cluster.seat(node).application.release();
            return !pace.isZero();
        }

        @Override
        public String toString() {
            return "n" + node
                    + (pace == null ? " consumes nothing" : " consumes a packet in " + Durations.print(pace));
        }
    }

    record Compute(int node, Duration perTurn, Duration perInput) implements OfNode {
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

    record SetWallClock(int node, Duration step) implements OfNode {
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

    record Leap(int node, Duration step) implements OfNode {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.LEAP;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            boolean isUp = cluster.node(node).life() != SimulatedNode.Life.DOWN;
            if (isUp) {
                cluster.node(node).leap(step);
            }
            return isUp;
        }

        @Override
        public String toString() {
            return "the clock of n" + node + " leaps by " + Durations.print(step);
        }
    }

    /** A cut between two sides, in both directions. */
    record Lose(TreeSet<Integer> side, TreeSet<Integer> other, ScheduledFault fault) implements OfSides {
        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.network().partition(cluster.nodes(side), cluster.nodes(other));
            return true;
        }

        @Override
        public String toString() {
            return names(side) + " and " + names(other) + " lose each other (" + fault + ")";
        }
    }

    record Find(TreeSet<Integer> side, TreeSet<Integer> other) implements OfSides {
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
            return names(side) + " and " + names(other) + " find each other";
        }
    }

    record Miss(TreeSet<Integer> side, TreeSet<Integer> other) implements OfSides {
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
            return names(side) + " can't get through to " + names(other);
        }
    }

    record HealAll() implements Action {
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

    /** A fault of the node that coordinates at the time. */
    record Coordinator(Fate fate) implements Action {
        /** Fate of the coordinator; {@code GIVEN_UP} closes its sessions with all others, at both ends. */
        public enum Fate {
            KILLED,
            CUT_OFF,
            GIVEN_UP
        }

        @Override
        public ScheduledFault fault() {
            return ScheduledFault.COORDINATOR;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            int number = cluster.coordinator();
            return number > 0 && switch (fate) {
                case KILLED -> new Kill(number).strike(cluster);
                case CUT_OFF -> cluster.partition(number) == cluster;
                case GIVEN_UP -> new Part(setOf(number), cluster.othersThan(number)).strike(cluster);
            };
        }

        @Override
        public String toString() {
            return "the coordinator is " + fate.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** Added latency in one direction, until another delay replaces it; zero restores the original latency. */
    record Delay(TreeSet<Integer> side, TreeSet<Integer> other, Duration latency) implements OfSides {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.DELAY;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.delay(side, other, latency);
            return true;
        }

        @Override
        public String toString() {
            return "what goes from " + names(side) + " to " + names(other) + " takes " + Durations.print(latency) + " more";
        }
    }

    /** A wrong suspicion. */
    record GiveUp(int node, int other) implements OfTwo {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.GIVE_UP;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            return cluster.giveUp(node, other);
        }

        @Override
        public String toString() {
            return "n" + node + " gives up n" + other;
        }
    }

    /** Closing of all sessions between two sides, at both ends: they do not hear each other until they dial again. */
    record Part(TreeSet<Integer> side, TreeSet<Integer> other) implements OfSides {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.GIVE_UP;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            boolean isAny = false;
            for (int node : side) {
                for (int another : other) {
                    isAny |= cluster.giveUp(node, another) | cluster.giveUp(another, node);
                }
            }
            return isAny;
        }

        @Override
        public String toString() {
            return names(side) + " and " + names(other) + " give each other up";
        }
    }

    /** An outage shorter than a time-out: dials fail, and frames under way arrive afterwards. */
    record Outage(int node, int other, Duration time) implements OfTwo {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.PARTITION;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.simulation().after(time, () -> new Find(setOf(node), setOf(other)).strike(cluster));
            return new Lose(setOf(node), setOf(other), ScheduledFault.PARTITION).strike(cluster);
        }

        @Override
        public String toString() {
            return "n" + node + " and n" + other + " do not hear each other for " + Durations.print(time);
        }
    }

    record Clog(int node) implements OfNode {
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

    record Unclog(int node) implements OfNode {
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

    record Break(int node, int other, Network.Notice notice) implements OfTwo {
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
    record Corrupt(int node, int other) implements OfTwo {
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

    /**
     * An action that is performed when a message of a view change arrives.
     *
     * @param receiver number of the node at which it arrives; 0 for any
     * @param count number of the arrival that triggers the action, from 1
     * @param later time from the arrival to the action
     * @param then the action
     */
    record Await(MessageTrigger.Message message, int receiver, int count, Duration later, Action then) implements Action {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.AMBUSH;
        }

        @Override
        public TreeSet<Integer> nodes() {
            TreeSet<Integer> nodes = then.nodes();
            if (receiver > 0) {
                nodes.add(receiver);
            }
            return nodes;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.trigger().add(this);
            return false;
        }

        @Override
        public String toString() {
            return "when " + message + " " + count + " arrives" + (receiver > 0 ? " at n" + receiver : "") + ", "
                    + (later.isZero() ? "" : Durations.print(later) + " later ") + then;
        }
    }

    /** A promise to check; not a fault. */
    non-sealed interface Promise extends Action {
        @Override
        default ScheduledFault fault() {
            return ScheduledFault.WORK;
        }
    }

    /** An action on the sender or the receiver of the message that an {@link Await} has waited for. */
    non-sealed interface OfEnds extends Action {
        /** Returns the action for this sender and this receiver. */
        Action of(int sender, int receiver);
    }

    static String names(TreeSet<Integer> numbers) {
        return numbers.stream().map(number -> "n" + number).collect(Collectors.joining(" "));
    }

    static TreeSet<Integer> setOf(Integer... numbers) {
        return new TreeSet<>(List.of(numbers));
    }

    private static boolean isUp(SimulatedCluster cluster, int node) {
        return cluster.node(node).life() != SimulatedNode.Life.DOWN;
    }
}
