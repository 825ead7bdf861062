package dev.tutti.campaign;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.settings.Durations;
import dev.tutti.sim.Network;
import dev.tutti.sim.SimulatedNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a schedule does to a cluster. {@link #toString} is a sentence, which {@link #parse} understands.
 *
 * <p>An action that does not fit the state of the cluster does nothing, so that a schedule from which others were taken
 * away still means something.
 */
sealed interface Action {

    /** What it is one of. */
    Fault fault();

    /** Whom it names. */
    TreeSet<Integer> nodes();

    /**
     * Does it.
     *
     * @return whether anything was to be done
     */
    boolean strike(Cluster cluster);

    record Start(int node) implements Action {
        @Override
        public Fault fault() {
            return Fault.START;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
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

    record Kill(int node) implements Action {
        @Override
        public Fault fault() {
            return Fault.KILL;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
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

    record PowerOff(int node) implements Action {
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
            return isUp(cluster, node) && cluster.powerOff(node) == cluster;
        }

        @Override
        public String toString() {
            return "n" + node + " loses its power";
        }
    }

    /** With a goodbye. */
    record Stop(int node) implements Action {
        @Override
        public Fault fault() {
            return Fault.STOP;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
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

    record Leave(int node) implements Action {
        @Override
        public Fault fault() {
            return Fault.LEAVE;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
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

    record JoinAgain(int node) implements Action {
        @Override
        public Fault fault() {
            return Fault.LEAVE;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
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

    record Pause(int node) implements Action {
        @Override
        public Fault fault() {
            return Fault.PAUSE;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
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

    record Resume(int node) implements Action {
        @Override
        public Fault fault() {
            return Fault.PAUSE;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
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
    record Send(int node, int count, int length, int receiver) implements Action {
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
                if (!cluster.isUp(receiver) || !cluster.seat(receiver).application.isMember()) {
                    return false;
                }
                to = cluster.seat(receiver).member();
            }
            cluster.seat(node).send(to, count, length);
            return true;
        }

        @Override
        public String toString() {
            return "n" + node + " sends " + count + " messages of " + length + " bytes to "
                    + (receiver == 0 ? "all" : "n" + receiver);
        }
    }

    record Talk(int node, Duration period) implements Action {
        @Override
        public Fault fault() {
            return Fault.WORK;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
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
        public TreeSet<Integer> nodes() {
            return setOf();
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
    record Consume(int node, @Nullable Duration pace) implements Action {
        @Override
        public Fault fault() {
            return Fault.SLOW_APPLICATION;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
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

    record Compute(int node, Duration perTurn, Duration perInput) implements Action {
        @Override
        public Fault fault() {
            return Fault.SLOW_NODE;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
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

    record SetWallClock(int node, Duration step) implements Action {
        @Override
        public Fault fault() {
            return Fault.WALL_CLOCK;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
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

    record Leap(int node, Duration step) implements Action {
        @Override
        public Fault fault() {
            return Fault.LEAP;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
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
    record Lose(TreeSet<Integer> side, TreeSet<Integer> other, Fault fault) implements Action {
        @Override
        public TreeSet<Integer> nodes() {
            return both(side, other);
        }

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

    record Find(TreeSet<Integer> side, TreeSet<Integer> other) implements Action {
        @Override
        public Fault fault() {
            return Fault.PARTITION;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return both(side, other);
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

    record Miss(TreeSet<Integer> side, TreeSet<Integer> other) implements Action {
        @Override
        public Fault fault() {
            return Fault.ONE_WAY;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return both(side, other);
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
        public TreeSet<Integer> nodes() {
            return setOf();
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
    record Coordinator(boolean isKilled) implements Action {
        @Override
        public Fault fault() {
            return Fault.COORDINATOR;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf();
        }

        @Override
        public boolean strike(Cluster cluster) {
            View largest = null;
            for (Seat seat : cluster.present()) {
                View view = seat.view();
                if (view != null && (largest == null || view.size() > largest.size())) {
                    largest = view;
                }
            }
            if (largest == null) {
                return false;
            }
            int number = cluster.numberOf(largest.coordinator());
            if (isKilled) {
                return isUp(cluster, number) && cluster.crash(number) == cluster;
            }
            cluster.partition(number);
            return true;
        }

        @Override
        public String toString() {
            return "the coordinator is " + (isKilled ? "killed" : "cut off");
        }
    }

    record Clog(int node) implements Action {
        @Override
        public Fault fault() {
            return Fault.CLOG;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
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

    record Unclog(int node) implements Action {
        @Override
        public Fault fault() {
            return Fault.CLOG;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node);
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

    record Break(int node, int other, Network.Notice notice) implements Action {
        @Override
        public Fault fault() {
            return Fault.BREAK;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node, other);
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
    record Corrupt(int node, int other) implements Action {
        @Override
        public Fault fault() {
            return Fault.CORRUPTION;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return setOf(node, other);
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
     * @param count which of them, from 1
     * @param then what happens as it arrives
     */
    record Await(Ambush.Message message, int count, Action then) implements Action {
        @Override
        public Fault fault() {
            return Fault.AMBUSH;
        }

        @Override
        public TreeSet<Integer> nodes() {
            return then.nodes();
        }

        @Override
        public boolean strike(Cluster cluster) {
            cluster.ambush().add(this);
            return false;
        }

        @Override
        public String toString() {
            return "when " + message + " " + count + " arrives, " + then;
        }
    }

    // ------------------------------------------------------------------ reading

    /** How a sentence looks, and what it means. */
    record Form(Pattern pattern, Function<Matcher, Action> meaning) {
        Form(String pattern, Function<Matcher, Action> meaning) {
            this(
                    Pattern.compile(pattern.replace("#", "n(\\d+)")
                            .replace("@", "((?:n\\d+ ?)+?)")
                            .replace("%", "(\\d+ [a-z]+)")),
                    meaning);
        }
    }

    List<Form> FORMS = List.of(
            new Form("# starts", m -> new Start(number(m, 1))),
            new Form("# is killed", m -> new Kill(number(m, 1))),
            new Form("# loses its power", m -> new PowerOff(number(m, 1))),
            new Form("# stops", m -> new Stop(number(m, 1))),
            new Form("# leaves", m -> new Leave(number(m, 1))),
            new Form("# joins again", m -> new JoinAgain(number(m, 1))),
            new Form("# is paused", m -> new Pause(number(m, 1))),
            new Form("# goes on", m -> new Resume(number(m, 1))),
            new Form("# sends (\\d+) messages of (\\d+) bytes to all", m ->
                    new Send(number(m, 1), number(m, 2), number(m, 3), 0)),
            new Form("# sends (\\d+) messages of (\\d+) bytes to #", m ->
                    new Send(number(m, 1), number(m, 2), number(m, 3), number(m, 4))),
            new Form("# talks every %", m -> new Talk(number(m, 1), Durations.parse(m.group(2)))),
            new Form("nobody talks", m -> new Quiet()),
            new Form("# consumes nothing", m -> new Consume(number(m, 1), null)),
            new Form("# consumes a packet in %", m -> new Consume(number(m, 1), Durations.parse(m.group(2)))),
            new Form("# takes % for a turn and % for an input", m ->
                    new Compute(number(m, 1), Durations.parse(m.group(2)), Durations.parse(m.group(3)))),
            new Form("the wall clock of # is set back by %", m ->
                    new SetWallClock(number(m, 1), Durations.parse(m.group(2)).negated())),
            new Form("the wall clock of # is set forward by %", m ->
                    new SetWallClock(number(m, 1), Durations.parse(m.group(2)))),
            new Form("the clock of # leaps by %", m -> new Leap(number(m, 1), Durations.parse(m.group(2)))),
            new Form("@ and @ lose each other \\(([a-z-]+)\\)", m -> new Lose(numbers(m, 1), numbers(m, 2),
                    Fault.valueOf(m.group(3).toUpperCase(Locale.ROOT).replace('-', '_')))),
            new Form("@ and @ find each other", m -> new Find(numbers(m, 1), numbers(m, 2))),
            new Form("@ can't get through to @", m -> new Miss(numbers(m, 1), numbers(m, 2))),
            new Form("all cuts heal", m -> new HealAll()),
            new Form("the coordinator is killed", m -> new Coordinator(true)),
            new Form("the coordinator is cut off", m -> new Coordinator(false)),
            new Form("# is clogged", m -> new Clog(number(m, 1))),
            new Form("# flows again", m -> new Unclog(number(m, 1))),
            new Form("connections of # and # break, noticed by (both|dialler|acceptor|nobody)", m ->
                    new Break(number(m, 1), number(m, 2), Network.Notice.valueOf(m.group(3).toUpperCase(Locale.ROOT)))),
            new Form("when (prepare|ack|nack|cut) (\\d+) arrives, (.+)", m -> new Await(
                    Ambush.Message.valueOf(m.group(1).toUpperCase(Locale.ROOT)), number(m, 2), parse(m.group(3)))),
            new Form("the stream from # to # is corrupted", m -> new Corrupt(number(m, 1), number(m, 2))));

    /** @throws IllegalArgumentException if no action reads so */
    static Action parse(String sentence) {
        for (Form form : FORMS) {
            Matcher matcher = form.pattern().matcher(sentence);
            if (matcher.matches()) {
                return form.meaning().apply(matcher);
            }
        }
        throw new IllegalArgumentException("no action reads '" + sentence + "'; they are listed in docs/design/simulator.md");
    }

    private static int number(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group));
    }

    private static TreeSet<Integer> numbers(Matcher matcher, int group) {
        TreeSet<Integer> numbers = new TreeSet<>();
        for (String name : matcher.group(group).strip().split(" ")) {
            numbers.add(Integer.parseInt(name.substring(1)));
        }
        return numbers;
    }

    static String names(TreeSet<Integer> numbers) {
        return numbers.stream().map(number -> "n" + number).collect(Collectors.joining(" "));
    }

    static TreeSet<Integer> setOf(Integer... numbers) {
        return new TreeSet<>(List.of(numbers));
    }

    private static TreeSet<Integer> both(TreeSet<Integer> side, TreeSet<Integer> other) {
        List<Integer> all = new ArrayList<>(side);
        all.addAll(other);
        return new TreeSet<>(all);
    }

    private static boolean isUp(Cluster cluster, int node) {
        return cluster.node(node).life() != SimulatedNode.Life.DOWN;
    }
}
