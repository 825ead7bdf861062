package dev.tutti.campaign.schedule;

import dev.tutti.campaign.cluster.Action;
import dev.tutti.campaign.cluster.Band;
import dev.tutti.campaign.cluster.Ends;
import dev.tutti.campaign.cluster.MessageTrigger;
import dev.tutti.campaign.cluster.NetworkActions;
import dev.tutti.campaign.cluster.NodeActions;
import dev.tutti.campaign.cluster.Promises;
import dev.tutti.campaign.cluster.Traffic;
import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeSettings;
import dev.tutti.sim.Network;
import dev.tutti.sim.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Draws a schedule of {@link Schedule.Mode#PROMPT}: processes that start together on a busy machine, and end and start
 * again, often in the middle of a view change; sessions that are closed; and messages all the time. Every fault is over
 * at once, so that a view that waits for a time-out reveals a bug.
 */
final class PromptSwarm {

    private final long seed;
    private final SplittableRandom random;
    private final int size;
    private final List<Schedule.Step> steps = new ArrayList<>();
    private Schedule.World world = Schedule.World.plain();
    private long nowNanos;

    /** Sender of the slow path, on which messages are still under way when a view changes. */
    private int slowSender;

    private int slowReceiver;

    /** Separate random stream for kinds of messages, so that the other draws stay as they are. */
    private final SplittableRandom kinds;

    /** Separate random stream for the last part of the schedule, when all is well. */
    private final SplittableRandom lasts;

    PromptSwarm(long seed) {
        this.seed = seed;
        this.kinds = new SplittableRandom(~seed * 47);
        this.lasts = new SplittableRandom(~seed * 53);
        this.random = new SplittableRandom(seed * 31 + Schedule.Mode.PROMPT.ordinal());
        this.size = random.nextInt(3) == 0 ? 8 + random.nextInt(9) : 3 + random.nextInt(4);
    }

    Schedule draw() {
        drawWorld();
        start();
        step(new Promises.OneView(WITHIN));
        pass(3 * SECOND);
        int rounds = 4 + random.nextInt(8);
        for (int round = 0; round < rounds; round++) {
            round();
            pass(random.nextLong(SECOND / 20));
            rest();
            if (random.nextInt(4) == 0) {
                succession();
            }
            if (random.nextInt(3) == 0) {
                startAll();
                pass(SECOND / 20);
                rest();
            }
        }
        switch (lasts.nextInt(6)) {
            case 0, 1 -> calm();
            case 2 -> allLeave();
            case 3 -> stuckReceiver();
            default -> {}
        }
        steps.sort(Comparator.comparingLong(Schedule.Step::timeNanos));
        return new Schedule(seed, Schedule.Mode.PROMPT, size, world, steps);
    }

    /** Kills the coordinator until one node is left: each time all have to agree on the next one. */
    private void succession() {
        for (int left = size; left > 1; left--) {
            step(new Action.Coordinator(Action.Coordinator.Fate.KILLED));
            pass(SECOND / 100);
            step(new Promises.OneView(WITHIN));
            pass(SECOND / 2);
        }
    }

    private void calm() {
        steps.addAll(new Calm(lasts, size, nowNanos).draw(WITHIN, TIMEOUT, true, world.connectTimeout()));
    }

    /** Lets all leave and one join again: it has no member to wait for. */
    private void allLeave() {
        startAll();
        pass(SECOND / 20);
        rest();
        for (int node = 1; node <= size; node++) {
            step(new NodeActions.Leave(node));
            pass(lasts.nextLong(SECOND / 20));
        }
        pass(3 * SECOND);
        int first = 1 + lasts.nextInt(size);
        step(new NodeActions.JoinAgain(first));
        step(new Promises.Joined(AT_ONCE));
        pass(SECOND);
        startAll();
        pass(SECOND / 20);
        rest();
    }

    /** Lets one node consume nothing while its senders lose and find it repeatedly: it holds no more than a window. */
    private void stuckReceiver() {
        int receiver = 1 + lasts.nextInt(size);
        step(new Traffic.Consume(receiver, null));
        for (int round = 0; round < 6; round++) {
            for (int from : others(Action.setOf(receiver))) {
                step(new Traffic.Send(from, 100, 1_500, receiver));
                step(new Traffic.Send(from, 100, 1_500, 0));
            }
            pass(SECOND / 2);
            step(new NetworkActions.Part(Action.setOf(receiver), others(Action.setOf(receiver))));
            pass(SECOND / 100);
            step(new Promises.OneView(WITHIN));
        }
        step(new Traffic.Consume(receiver, Duration.ZERO));
        rest();
    }

    /** Waits longer than any time-out, so that after-effects of one round are not found in the next. */
    private void rest() {
        step(new Promises.OneView(WITHIN));
        pass(SECOND);
        step(new Promises.Arrived(WITHIN));
        pass(3 * SECOND);
    }

    // ------------------------------------------------------------------ the world

    private void drawWorld() {
        GroupDraw.order(world.settings(), seed, Schedule.Mode.PROMPT);
        GroupDraw.aside(world.settings(), seed, Schedule.Mode.PROMPT);
        if (random.nextInt(4) == 0) {
            world.settings().put(GroupSettings.MERGE_DELAY.name(), "0 ms");
        }
        if (random.nextInt(3) == 0) {
            world.settings().put(GroupSettings.WINDOW.name(), Size.kibibytes(128 + random.nextInt(128)).toString());
        }
        if (random.nextInt(3) == 0) {
            world.settings().put(GroupSettings.STABLE_DELAY.name(), "1 ms");
        }
        if (random.nextBoolean()) {
            world = world.withPath(Path.LOCAL
                    .withLatency(nanos(1L << 14 + random.nextInt(9)), nanos(1L << 14 + random.nextInt(9)))
                    .withCapacity(random.nextInt(3) == 0 ? 10_000_000 : Path.LOCAL.bytesPerSecond()));
        }
        if (random.nextInt(3) > 0) {
            world = world.withColdTurns(
                    Duration.ofMillis(1 + random.nextInt(1 << random.nextInt(7))),
                    Duration.ofMillis(20 + random.nextInt(180)));
        }
        slowSender = node();
        slowReceiver = otherThan(slowSender);
        if (random.nextInt(4) > 0) {
            delay(slowSender, slowReceiver, 1L << random.nextInt(8));
        }
        while (random.nextBoolean()) {
            int from = node();
            delay(from, otherThan(from), 1L << random.nextInt(6));
        }
        if (random.nextInt(3) == 0) {
            for (int to : others(Action.setOf(slowSender))) {
                if (random.nextInt(3) > 0) {
                    delay(slowSender, to, 1L << random.nextInt(6));
                }
            }
        }
        while (random.nextInt(3) == 0) {
            step(new NodeActions.Compute(node(), nanos(1L << 20 + random.nextInt(5)), nanos(20_000)));
        }
    }

    private void delay(int from, int to, long millis) {
        step(new NetworkActions.Delay(Action.setOf(from), Action.setOf(to), Duration.ofMillis(millis)));
    }

    private void start() {
        if (random.nextBoolean()) {
            trigger();
        }
        long spread = random.nextBoolean() ? 1 : 1L << 20 + random.nextInt(11);
        for (int node = 1; node <= size; node++) {
            stepAfter(random.nextLong(spread), new NodeActions.Start(node));
        }
        pass(spread);
    }

    private void startAll() {
        for (int node = 1; node <= size; node++) {
            step(new NodeActions.Start(node));
            step(new NodeActions.JoinAgain(node));
        }
    }

    // ------------------------------------------------------------------ events

    private void round() {
        work();
        if (random.nextInt(3) > 0) {
            trigger();
        }
        int troubles = 1 + random.nextInt(3) * random.nextInt(2);
        for (int index = 0; index < troubles; index++) {
            trouble();
            pass(random.nextBoolean() ? random.nextLong(20_000_000) : 0);
        }
    }

    /** Draws half of the messages as given, the others scoped, out of band, to one, to itself or in pieces. */
    private Traffic.Send send(int from, int count, int length, int to) {
        if (kinds.nextBoolean()) {
            return new Traffic.Send(from, count, length, to);
        }
        Band band = Band.values()[kinds.nextInt(Band.values().length)];
        boolean isLarge = band != Band.OUT_OF_BAND && kinds.nextInt(8) == 0;
        int receiver = kinds.nextInt(3) > 0 ? to : 1 + kinds.nextInt(size);
        return isLarge
                ? new Traffic.Send(from, 1, 128 * 1024 + kinds.nextInt(200_000), receiver, band)
                : new Traffic.Send(from, count, length, receiver, band);
    }

    /** Sends enough that some of it is under way when a fault comes, and unicasts that begin their stream. */
    private void work() {
        if (random.nextBoolean()) {
            step(new Traffic.Talk(random.nextBoolean() ? slowSender : node(), Duration.ofMillis(1 + random.nextInt(30))));
        }
        for (int index = random.nextInt(3); index >= 0; index--) {
            int from = random.nextBoolean() ? slowSender : node();
            int to = random.nextInt(3) > 0 ? 0 : from == slowSender ? slowReceiver : otherThan(from);
            int count = random.nextBoolean() ? 1 + random.nextInt(3) : 1 + random.nextInt(100);
            step(send(from, count, random.nextInt(1_500), to));
            pass(random.nextLong(1L << 14 + random.nextInt(10)));
        }
    }

    private void trouble() {
        int node = node();
        switch (random.nextInt(18)) {
            case 0 -> step(new NodeActions.Kill(node));
            case 1 -> step(new Action.Coordinator(Action.Coordinator.Fate.KILLED));
            case 2 -> {
                step(new NodeActions.Kill(node));
                pass(random.nextLong(5_000_000));
                step(new NodeActions.Kill(node()));
            }
            case 3 -> {
                step(new NodeActions.Kill(node));
                stepAfter(random.nextLong(1L << 16 + random.nextInt(12)), new NodeActions.Start(node));
            }
            case 4 -> step(new NodeActions.Reboot(node));
            case 5 -> step(new NodeActions.Stop(node));
            case 6 -> {
                step(new NodeActions.Leave(node));
                stepAfter(random.nextLong(1L << 24), new NodeActions.JoinAgain(node));
            }
            case 7 -> step(new NetworkActions.Break(node, otherThan(node), Network.Notice.BOTH));
            case 8, 9 -> step(new NetworkActions.GiveUp(node, otherThan(node)));
            case 10 -> part();
            case 11 -> step(new Action.Coordinator(Action.Coordinator.Fate.GIVEN_UP));
            case 12 -> step(new NodeActions.Stall(node, nanos(1L << 20 + random.nextInt(8))));
            case 13, 14, 15 -> severalParts();
            default -> startAll();
        }
    }

    /** Parts the group into two sides, one of them often a single node; each side goes on alone, and they merge. */
    private void part() {
        TreeSet<Integer> side = Action.setOf(node());
        while (side.size() < size - 1 && random.nextInt(3) == 0) {
            side.add(node());
        }
        step(new NetworkActions.Part(side, others(side)));
    }

    /** Makes three parts or more in a row, so that several coordinators merge at once; one of them is heard late. */
    private void severalParts() {
        TreeSet<Integer> late = Action.setOf(slowSender, slowReceiver);
        if (late.size() < size) {
            step(new NetworkActions.Part(late, others(late)));
        }
        for (int index = random.nextInt(3); index >= 0; index--) {
            pass(random.nextLong(1L << 16 + random.nextInt(12)));
            part();
        }
    }

    /** Strikes in the middle of the next view change, or of a later one, often with several actions at one message. */
    private void trigger() {
        for (int index = random.nextInt(2); index >= 0; index--) {
            MessageTrigger.Message message = MESSAGES.get(random.nextInt(MESSAGES.size()));
            int receiver = random.nextInt(3) > 0 ? 0 : random.nextBoolean() ? slowSender : slowReceiver;
            int count = random.nextBoolean() ? 1 : 1 + random.nextInt(receiver == 0 ? size : 2);
            Duration later = random.nextInt(4) > 0 ? Duration.ZERO : nanos(1L << 12 + random.nextInt(13));
            for (Action action : together()) {
                step(new Action.Await(message, receiver, count, later, action));
            }
        }
    }

    /** Draws some of these: a stalled end, a lost session, a killed or started node, and messages. */
    private List<Action> together() {
        int node = node();
        List<Action> together = new ArrayList<>();
        if (random.nextBoolean()) {
            together.add(new Ends.StallEnd(random.nextInt(4) > 0, nanos(1L << 20 + random.nextInt(7))));
        }
        if (random.nextBoolean()) {
            together.add(
                    switch (random.nextInt(4)) {
                        case 0 -> new Ends.PartEnds();
                        case 1 -> new NetworkActions.GiveUp(node, otherThan(node));
                        default -> new NetworkActions.Part(Action.setOf(node), Action.setOf(otherThan(node)));
                    });
        }
        if (together.isEmpty() || random.nextInt(4) == 0) {
            together.add(
                    switch (random.nextInt(6)) {
                        case 0 -> new NodeActions.Kill(node);
                        case 1 -> new Action.Coordinator(Action.Coordinator.Fate.KILLED);
                        case 2 -> new NodeActions.Start(node);
                        default -> new Ends.KillEnd(random.nextBoolean());
                    });
        }
        if (random.nextBoolean()) {
            for (int more = random.nextInt(4); more >= 0; more--) {
                int from = more == 0 ? slowSender : node();
                together.add(send(from, 1 + random.nextInt(20), random.nextInt(1_500), 0));
            }
        }
        return together;
    }

    // ------------------------------------------------------------------ tools

    private int node() {
        return 1 + random.nextInt(size);
    }

    private int otherThan(int node) {
        int other = 1 + random.nextInt(size - 1);
        return other < node ? other : other + 1;
    }

    private TreeSet<Integer> others(TreeSet<Integer> side) {
        TreeSet<Integer> others = new TreeSet<>();
        for (int node = 1; node <= size; node++) {
            if (!side.contains(node)) {
                others.add(node);
            }
        }
        return others;
    }

    private Duration nanos(long bound) {
        return Duration.ofNanos(random.nextLong(bound));
    }

    private void step(Action action) {
        stepAfter(0, action);
    }

    private void stepAfter(long nanos, Action action) {
        steps.add(new Schedule.Step(nowNanos + nanos, action));
    }

    private void pass(long nanos) {
        nowNanos += nanos;
    }

    private static final long SECOND = 1_000_000_000L;

    /** Messages to strike at; those that are repeated here are drawn more often. */
    private static final List<MessageTrigger.Message> MESSAGES = List.of(
            MessageTrigger.Message.PREPARE, MessageTrigger.Message.PREPARE, MessageTrigger.Message.PREPARE, MessageTrigger.Message.ACK, MessageTrigger.Message.NACK,
            MessageTrigger.Message.CUT, MessageTrigger.Message.CUT, MessageTrigger.Message.FETCH, MessageTrigger.Message.FETCH, MessageTrigger.Message.REPAIR);

    /** Time shorter than any time-out: 3 s of silence, 4 s of the hold-back, 5 s of a ballot. */
    private static final Duration WITHIN = Duration.ofMillis(2_500);

    private static final Duration TIMEOUT = NodeSettings.DETECTION_TIMEOUT.defaultValue();

    /** Time shorter than {@code discovery.patience}. */
    private static final Duration AT_ONCE = Duration.ofMillis(250);
}
