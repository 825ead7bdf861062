package dev.tutti.campaign;

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
 * One thing that a schedule does to a cluster. {@link #toString} is a sentence, which {@link Sentences} understands.
 *
 * <p>An action that does not fit the state of the cluster does nothing, so that a schedule from which others were taken
 * away still means something.
 */
sealed interface Action {

    /** What it is one of. */
    Fault fault();

    /** Whom it names. */
    default TreeSet<Integer> nodes() {
        return setOf();
    }

    /**
     * Does it.
     *
     * @return whether anything was to be done
     */
    default boolean strike(Cluster cluster) {
        return false;
    }

    /** It happens to one node. */
    sealed interface OfNode extends Action {
        int node();

        @Override
        default TreeSet<Integer> nodes() {
            return setOf(node());
        }
    }

    /** It happens between two nodes. */
    sealed interface OfTwo extends Action {
        int node();

        int other();

        @Override
        default TreeSet<Integer> nodes() {
            return setOf(node(), other());
        }
    }

    /** It happens between all here and all there. */
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
        public Fault fault() {
            return Fault.START;
        }

        @Override
        public boolean strike(Cluster cluster) {
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
        public Fault fault() {
            return Fault.KILL;
        }

        @Override
        public boolean strike(Cluster cluster) {
            return isUp(cluster, node) && cluster.crash(node) == cluster;
        }

        @Override
        public String toString() {
            return "n" + node + " is killed";
        }
    }

    record PowerOff(int node) implements OfNode {
        @Override
        public Fault fault() {
            return Fault.POWER_OFF;
        }

        @Override
        public boolean strike(Cluster cluster) {
            return isUp(cluster, node) && cluster.powerOff(node) == cluster;
        }

        @Override
        public String toString() {
            return "n" + node + " loses its power";
        }
    }

    /** Back before anybody has noticed. */
    record Reboot(int node) implements OfNode {
        @Override
        public Fault fault() {
            return Fault.POWER_OFF;
        }

        @Override
        public boolean strike(Cluster cluster) {
            return isUp(cluster, node) && cluster.powerOff(node).start(node) == cluster;
        }

        @Override
        public String toString() {
            return "n" + node + " is switched off and on";
        }
    }

    /** While it is down, and nothing if it is a founder. */
    record LoseRecords(int node) implements Action {
        @Override
        public Fault fault() {
            return Fault.POWER_OFF;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
        }

        @Override
        public boolean strike(Cluster cluster) {
            return cluster.loseRecords(node);
        }

        @Override
        public String toString() {
            return "n" + node + " loses its records";
        }
    }

    /** With a goodbye. */
    record Stop(int node) implements OfNode {
        @Override
        public Fault fault() {
            return Fault.STOP;
        }

        @Override
        public boolean strike(Cluster cluster) {
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
        public Fault fault() {
            return Fault.LEAVE;
        }

        @Override
        public boolean strike(Cluster cluster) {
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

    /** The second group, while the first goes on. */
    record LeaveAside(int node) implements OfNode {
        @Override
        public Fault fault() {
            return Fault.LEAVE;
        }

        @Override
        public boolean strike(Cluster cluster) {
            return cluster.leaveAside(node);
        }

        @Override
        public String toString() {
            return "n" + node + " leaves the group beside";
        }
    }

    record JoinAside(int node) implements OfNode {
        @Override
        public Fault fault() {
            return Fault.LEAVE;
        }

        @Override
        public boolean strike(Cluster cluster) {
            return cluster.joinAsideAgain(node);
        }

        @Override
        public String toString() {
            return "n" + node + " joins the group beside again";
        }
    }

    record JoinAgain(int node) implements OfNode {
        @Override
        public Fault fault() {
            return Fault.LEAVE;
        }

        @Override
        public boolean strike(Cluster cluster) {
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
        public Fault fault() {
            return Fault.PAUSE;
        }

        @Override
        public boolean strike(Cluster cluster) {
            boolean isRunning = cluster.node(node).life() == SimulatedNode.Life.RUNNING;
            cluster.pause(node);
            return isRunning;
        }

        @Override
        public String toString() {
            return "n" + node + " is paused";
        }
    }

    /** For a moment, as for a collection of garbage. */
    record Stall(int node, Duration time) implements OfNode {
        @Override
        public Fault fault() {
            return Fault.PAUSE;
        }

        @Override
        public boolean strike(Cluster cluster) {
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
        public Fault fault() {
            return Fault.PAUSE;
        }

        @Override
        public boolean strike(Cluster cluster) {
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

        Send(int node, int count, int length, int receiver) {
            this(node, count, length, receiver, Band.ORDERED);
        }

        @Override
        public Fault fault() {
            return Fault.WORK;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return receiver == 0 ? setOf(node) : setOf(node, receiver);
        }

        @Override
        public boolean strike(Cluster cluster) {
            if (!cluster.isUp(node)) {
                return false;
            }
            Member to = null;
            if (receiver != 0) {
                // It may have left, or be gone: its former fellows may not know it yet.
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
        public Fault fault() {
            return Fault.WORK;
        }

        @Override
        public boolean strike(Cluster cluster) {
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
        public Fault fault() {
            return Fault.WORK;
        }

        @Override
        public boolean strike(Cluster cluster) {
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
        public Fault fault() {
            return Fault.SLOW_APPLICATION;
        }

        @Override
        public boolean strike(Cluster cluster) {
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
        public Fault fault() {
            return Fault.SLOW_NODE;
        }

        @Override
        public boolean strike(Cluster cluster) {
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
        public Fault fault() {
            return Fault.WALL_CLOCK;
        }

        @Override
        public boolean strike(Cluster cluster) {
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
        public Fault fault() {
            return Fault.LEAP;
        }

        @Override
        public boolean strike(Cluster cluster) {
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

    /** Both ways. */
    record Lose(TreeSet<Integer> side, TreeSet<Integer> other, Fault fault) implements OfSides {
        @Override
        public boolean strike(Cluster cluster) {
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
        public Fault fault() {
            return Fault.PARTITION;
        }

        @Override
        public boolean strike(Cluster cluster) {
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
        public Fault fault() {
            return Fault.ONE_WAY;
        }

        @Override
        public boolean strike(Cluster cluster) {
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
        public Fault fault() {
            return Fault.PARTITION;
        }

        @Override
        public boolean strike(Cluster cluster) {
            cluster.heal();
            return false;
        }

        @Override
        public String toString() {
            return "all cuts heal";
        }
    }

    /** Whoever that is at the time. */
    record Coordinator(Fate fate) implements Action {
        /** What becomes of it; by all others, it is given up, and has given up them. */
        enum Fate {
            KILLED,
            CUT_OFF,
            GIVEN_UP
        }

        @Override
        public Fault fault() {
            return Fault.COORDINATOR;
        }

        @Override
        public boolean strike(Cluster cluster) {
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

    /** One way, until somebody says otherwise; zero for as before. */
    record Delay(TreeSet<Integer> side, TreeSet<Integer> other, Duration latency) implements OfSides {
        @Override
        public Fault fault() {
            return Fault.DELAY;
        }

        @Override
        public boolean strike(Cluster cluster) {
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
        public Fault fault() {
            return Fault.GIVE_UP;
        }

        @Override
        public boolean strike(Cluster cluster) {
            return cluster.giveUp(node, other);
        }

        @Override
        public String toString() {
            return "n" + node + " gives up n" + other;
        }
    }

    /** All sessions between two sides, at both ends: nobody there hears anybody here, until they have dialled again. */
    record Part(TreeSet<Integer> side, TreeSet<Integer> other) implements OfSides {
        @Override
        public Fault fault() {
            return Fault.GIVE_UP;
        }

        @Override
        public boolean strike(Cluster cluster) {
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

    /** For less than a time-out: dials fail too, and what was under way arrives afterwards. */
    record Outage(int node, int other, Duration time) implements OfTwo {
        @Override
        public Fault fault() {
            return Fault.PARTITION;
        }

        @Override
        public boolean strike(Cluster cluster) {
            cluster.simulation().after(time, () -> new Find(setOf(node), setOf(other)).strike(cluster));
            return new Lose(setOf(node), setOf(other), Fault.PARTITION).strike(cluster);
        }

        @Override
        public String toString() {
            return "n" + node + " and n" + other + " do not hear each other for " + Durations.print(time);
        }
    }

    record Clog(int node) implements OfNode {
        @Override
        public Fault fault() {
            return Fault.CLOG;
        }

        @Override
        public boolean strike(Cluster cluster) {
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
        public Fault fault() {
            return Fault.CLOG;
        }

        @Override
        public boolean strike(Cluster cluster) {
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
        public Fault fault() {
            return Fault.BREAK;
        }

        @Override
        public boolean strike(Cluster cluster) {
            return cluster.network().breakConnections(cluster.node(node), cluster.node(other), notice) > 0;
        }

        @Override
        public String toString() {
            return "connections of n" + node + " and n" + other + " break, noticed by "
                    + notice.name().toLowerCase(Locale.ROOT);
        }
    }

    /** TLS, or TCP's checksum, notices: the stream ends at the frame concerned. */
    record Corrupt(int node, int other) implements OfTwo {
        @Override
        public Fault fault() {
            return Fault.CORRUPTION;
        }

        @Override
        public boolean strike(Cluster cluster) {
            return cluster.network().corrupt(cluster.node(node), cluster.node(other)) > 0;
        }

        @Override
        public String toString() {
            return "the stream from n" + node + " to n" + other + " is corrupted";
        }
    }

    /**
     * Waits for messages of a view change.
     *
     * @param receiver at whom it is to arrive; 0 for anybody
     * @param count which of them, from 1
     * @param later how long after its arrival
     * @param then what happens
     */
    record Await(Ambush.Message message, int receiver, int count, Duration later, Action then) implements Action {
        @Override
        public Fault fault() {
            return Fault.AMBUSH;
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
        public boolean strike(Cluster cluster) {
            cluster.ambush().add(this);
            return false;
        }

        @Override
        public String toString() {
            return "when " + message + " " + count + " arrives" + (receiver > 0 ? " at n" + receiver : "") + ", "
                    + (later.isZero() ? "" : Durations.print(later) + " later ") + then;
        }
    }

    /** Not a fault, but what is promised. */
    non-sealed interface Promise extends Action {
        @Override
        default Fault fault() {
            return Fault.WORK;
        }
    }

    /** It happens to who has sent, and was to receive, what an {@link Await} has waited for. */
    non-sealed interface OfEnds extends Action {
        /** The action, now that it is known who they are. */
        Action of(int sender, int receiver);
    }

    static String names(TreeSet<Integer> numbers) {
        return numbers.stream().map(number -> "n" + number).collect(Collectors.joining(" "));
    }

    static TreeSet<Integer> setOf(Integer... numbers) {
        return new TreeSet<>(List.of(numbers));
    }

    private static boolean isUp(Cluster cluster, int node) {
        return cluster.node(node).life() != SimulatedNode.Life.DOWN;
    }
}
