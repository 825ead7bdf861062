package dev.tutti.campaign;

import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.sim.Network;
import dev.tutti.sim.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Draws a schedule of {@link Schedule.Mode#PROMPT}: processes that are started together on a machine that has other things
 * to do, and end and begin again, often in the middle of a view change; sessions that are given up; all the while messages.
 * Whatever happens is over at once, so that a view that waits for a time-out shows a fault.
 */
final class PromptSwarm {

    private final long seed;
    private final SplittableRandom random;
    private final int size;
    private final List<Schedule.Step> steps = new ArrayList<>();
    private Schedule.World world = Schedule.World.plain();
    private long nowNanos;

    /** Where frames take longer than elsewhere: there messages are still under way when a view changes. */
    private int slowSender;

    private int slowReceiver;

    PromptSwarm(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed * 31 + Schedule.Mode.PROMPT.ordinal());
        this.size = random.nextInt(3) == 0 ? 8 + random.nextInt(9) : 3 + random.nextInt(4);
    }

    Schedule draw() {
        drawWorld();
        start();
        step(new Action.OneView(WITHIN));
        pass(3 * SECOND);
        int rounds = 2 + random.nextInt(5);
        for (int round = 0; round < rounds; round++) {
            round();
            pass(random.nextLong(SECOND / 20));
            step(new Action.OneView(WITHIN));
            pass(4 * SECOND);
            if (random.nextInt(3) == 0) {
                startAll();
                pass(SECOND / 20);
                step(new Action.OneView(WITHIN));
                pass(4 * SECOND);
            }
        }
        steps.sort(Comparator.comparingLong(Schedule.Step::timeNanos));
        return new Schedule(seed, Schedule.Mode.PROMPT, size, world, steps);
    }

    // ------------------------------------------------------------------ the world

    private void drawWorld() {
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
    }

    private void delay(int from, int to, long millis) {
        step(new Action.Delay(Action.setOf(from), Action.setOf(to), Duration.ofMillis(millis)));
    }

    private void start() {
        long spread = random.nextBoolean() ? 1 : 1L << 20 + random.nextInt(11);
        for (int node = 1; node <= size; node++) {
            stepAfter(random.nextLong(spread), new Action.Start(node));
        }
        pass(spread);
    }

    private void startAll() {
        for (int node = 1; node <= size; node++) {
            step(new Action.Start(node));
            step(new Action.JoinAgain(node));
        }
    }

    // ------------------------------------------------------------------ what happens

    private void round() {
        work();
        if (random.nextInt(3) > 0) {
            ambush();
        }
        int troubles = 1 + random.nextInt(3) * random.nextInt(2);
        for (int index = 0; index < troubles; index++) {
            trouble();
            pass(random.nextBoolean() ? random.nextLong(20_000_000) : 0);
        }
    }

    /** So much that some of it is under way when the trouble comes, and messages to one that begin their stream. */
    private void work() {
        if (random.nextInt(3) == 0) {
            step(new Action.Talk(random.nextBoolean() ? slowSender : node(), Duration.ofMillis(1 + random.nextInt(30))));
        }
        for (int index = random.nextInt(3); index >= 0; index--) {
            int from = random.nextBoolean() ? slowSender : node();
            int to = random.nextInt(3) > 0 ? 0 : from == slowSender ? slowReceiver : otherThan(from);
            int count = random.nextBoolean() ? 1 + random.nextInt(3) : 1 + random.nextInt(100);
            step(new Action.Send(from, count, random.nextInt(1_500), to));
            pass(random.nextLong(1L << 14 + random.nextInt(10)));
        }
    }

    private void trouble() {
        int node = node();
        switch (random.nextInt(12)) {
            case 0 -> step(new Action.Kill(node));
            case 1 -> step(new Action.Coordinator(true));
            case 2 -> {
                step(new Action.Kill(node));
                pass(random.nextLong(5_000_000));
                step(new Action.Kill(node()));
            }
            case 3 -> {
                step(new Action.Kill(node));
                stepAfter(random.nextLong(1L << 16 + random.nextInt(12)), new Action.Start(node));
            }
            case 4 -> step(new Action.Reboot(node));
            case 5 -> step(new Action.Stop(node));
            case 6 -> {
                step(new Action.Leave(node));
                stepAfter(random.nextLong(1L << 24), new Action.JoinAgain(node));
            }
            case 7 -> step(new Action.Break(node, otherThan(node), Network.Notice.BOTH));
            case 8, 9 -> giveUp(node);
            default -> startAll();
        }
    }

    /** Another one, or all: then the others go on without it, and it comes back as a part of its own. */
    private void giveUp(int node) {
        if (random.nextBoolean()) {
            step(new Action.GiveUp(node, otherThan(node)));
            return;
        }
        TreeSet<Integer> others = new TreeSet<>();
        for (int other = 1; other <= size; other++) {
            if (other != node) {
                others.add(other);
            }
        }
        for (int other : others) {
            step(new Action.GiveUp(node, other));
        }
    }

    /** In the middle of the view change to come, or of one after it. */
    private void ambush() {
        List<Ambush.Message> messages = Ambush.Message.ofAnyGroup();
        for (int index = random.nextInt(2); index >= 0; index--) {
            Ambush.Message message = messages.get(random.nextInt(messages.size()));
            int receiver = random.nextInt(3) > 0 ? 0 : random.nextBoolean() ? slowSender : slowReceiver;
            int count = 1 + random.nextInt(receiver == 0 ? size : 2);
            Duration later = random.nextBoolean() ? Duration.ZERO : nanos(1L << 12 + random.nextInt(13));
            step(new Action.Await(message, receiver, count, later, ambushed()));
        }
    }

    private Action ambushed() {
        int node = node();
        return switch (random.nextInt(8)) {
            case 0 -> new Action.Kill(node);
            case 1, 2, 3 -> new Action.KillEnd(random.nextBoolean());
            case 4 -> new Action.Coordinator(true);
            case 5 -> new Action.Start(node);
            case 6 -> new Action.GiveUp(node, otherThan(node));
            default -> new Action.Send(slowSender, 1 + random.nextInt(20), random.nextInt(1_500), 0);
        };
    }

    // ------------------------------------------------------------------ tools

    private int node() {
        return 1 + random.nextInt(size);
    }

    private int otherThan(int node) {
        int other = 1 + random.nextInt(size - 1);
        return other < node ? other : other + 1;
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

    /** Less than any time-out: of silence 3 s, of the hold-back 4 s, of a ballot 5 s. */
    private static final Duration WITHIN = Duration.ofMillis(2_500);
}
