package dev.tutti.campaign.schedule;

import dev.tutti.campaign.cluster.Action;
import dev.tutti.campaign.cluster.Ends;
import dev.tutti.campaign.cluster.MessageTrigger;
import dev.tutti.campaign.cluster.NetworkActions;
import dev.tutti.campaign.cluster.NodeActions;
import dev.tutti.campaign.cluster.ScheduledFault;
import dev.tutti.campaign.cluster.Traffic;
import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeSettings;
import dev.tutti.sim.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Draws a schedule of {@link Schedule.Mode#PRIMARY}: a few members of a group with a primary partition, which lose and
 * find each other, end, and start again with or without their records, mostly in the middle of a decision.
 */
final class PrimarySwarm {

    private final long seed;
    private final SplittableRandom random;
    private final int size;
    private final int founders;
    private final List<Schedule.Step> steps = new ArrayList<>();
    private Schedule.World world = Schedule.World.plain();
    private long nowNanos;

    PrimarySwarm(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed * 31 + Schedule.Mode.PRIMARY.ordinal());
        this.size = 2 + random.nextInt(5);
        this.founders = random.nextInt(3) == 0 ? 1 + random.nextInt(size) : Math.min(3, size);
    }

    Schedule draw() {
        drawWorld();
        for (int node = 1; node <= size; node++) {
            if (random.nextInt(8) > 0) {
                step(new NodeActions.Start(node));
                pass(random.nextBoolean() ? 0 : random.nextLong(1L << 20 + random.nextInt(11)));
            }
        }
        pass(random.nextLong(2 * SECOND));
        int rounds = 3 + random.nextInt(12);
        for (int round = 0; round < rounds; round++) {
            round();
        }
        end();
        steps.sort(Comparator.comparingLong(Schedule.Step::timeNanos));
        return new Schedule(seed, Schedule.Mode.PRIMARY, size, world, steps);
    }

    // ------------------------------------------------------------------ the world

    private void drawWorld() {
        TreeMap<String, String> settings = world.settings();
        settings.put(GroupSettings.PARTITION.name(), "primary");
        settings.put(
                GroupSettings.FOUNDERS.name(),
                IntStream.rangeClosed(1, founders).mapToObj(number -> "n" + number).collect(Collectors.joining(",")));
        switch (random.nextInt(8)) {
            case 0 -> settings.put(GroupSettings.STACK.name(), "unreliable");
            case 1 -> settings.put(GroupSettings.STACK.name(), "causal");
            case 2, 3 -> {
                settings.put(GroupSettings.STACK.name(), "total");
                settings.put(GroupSettings.TOTAL_BY.name(), random.nextBoolean() ? "sequencer" : "rotation");
                settings.put(GroupSettings.TOTAL_DELIVERY.name(), random.nextBoolean() ? "agreed" : "safe");
            }
            default -> {
                // fifo
            }
        }
        // Short, so that much happens: a view change takes a few milliseconds, and detecting a cut as long as this.
        long heartbeat = 20 + random.nextLong(200);
        settings.put(NodeSettings.HEARTBEAT.name(), heartbeat + " ms");
        settings.put(NodeSettings.DETECTION_TIMEOUT.name(), 3 * heartbeat + " ms");
        settings.put(NodeSettings.PAUSE_MAX.name(), "200 ms");
        settings.put(GroupSettings.HOLD_BACK.name(), (100 + random.nextInt(1_000)) + " ms");
        settings.put(GroupSettings.BALLOT_TIMEOUT.name(), (300 + random.nextInt(2_000)) + " ms");
        settings.put(GroupSettings.LEAVE_TIMEOUT.name(), (100 + random.nextInt(1_000)) + " ms");
        if (random.nextBoolean()) {
            settings.put(GroupSettings.MERGE_DELAY.name(), random.nextInt(100) + " ms");
        }
        if (random.nextInt(3) == 0) {
            settings.put(GroupSettings.WINDOW.name(), Size.kibibytes(128).toString());
        }
        if (random.nextBoolean()) {
            world = world.withPath(Path.LOCAL.withLatency(
                    nanos(1L << 15 + random.nextInt(9)), nanos(1L << 15 + random.nextInt(10))));
        }
        world = world.withDelays(Duration.ofMillis(200), Duration.ofMillis(1), Duration.ofMillis(20));
    }

    // ------------------------------------------------------------------ events

    private void round() {
        if (random.nextInt(3) == 0) {
            step(new Traffic.Talk(node(), Duration.ofMillis(5 + random.nextInt(100))));
        }
        for (int index = random.nextInt(3); index > 0; index--) {
            step(new Traffic.Send(node(), 1 + random.nextInt(30), random.nextInt(2_000), 0));
        }
        for (int index = random.nextInt(3); index > 0; index--) {
            trigger();
        }
        int troubles = 1 + random.nextInt(4);
        for (int index = 0; index < troubles; index++) {
            step(trouble());
            pass(random.nextBoolean() ? random.nextLong(20_000_000) : random.nextLong(SECOND / 2));
        }
        pass(random.nextLong(2 * SECOND));
        if (random.nextInt(3) == 0) {
            step(new NetworkActions.HealAll());
        }
        if (random.nextInt(3) == 0) {
            startAll();
        }
        pass(random.nextLong(2 * SECOND));
    }

    private Action trouble() {
        int node = node();
        return switch (random.nextInt(20)) {
            case 0, 1, 2 -> new NodeActions.Kill(node);
            case 3 -> new Action.Coordinator(random.nextBoolean() ? Action.Coordinator.Fate.KILLED : Action.Coordinator.Fate.CUT_OFF);
            case 4, 5 -> new NodeActions.Reboot(node);
            case 6, 7 -> new NodeActions.Start(node);
            case 8, 9, 10, 11 -> lose();
            case 12 -> new NetworkActions.Miss(Action.setOf(node), Action.setOf(otherThan(node)));
            case 13 -> new NetworkActions.HealAll();
            case 14 -> new NetworkActions.GiveUp(node, otherThan(node));
            case 15, 16 -> new NodeActions.Leave(node);
            case 17 -> new NodeActions.JoinAgain(node);
            case 18 -> new NodeActions.Stop(node);
            default -> new NodeActions.LoseRecords(node);
        };
    }

    private Action lose() {
        TreeSet<Integer> side = new TreeSet<>();
        TreeSet<Integer> other = new TreeSet<>();
        int single = node();
        boolean isSingle = random.nextInt(3) == 0;
        for (int node = 1; node <= size; node++) {
            boolean isHere = isSingle ? node == single : random.nextBoolean();
            (isHere ? side : other).add(node);
        }
        if (side.isEmpty() || other.isEmpty()) {
            return new NetworkActions.HealAll();
        }
        return new NetworkActions.Lose(side, other, ScheduledFault.PARTITION);
    }

    /** Strikes during a decision: cuts off or ends the node that has decided, or those that have accepted. */
    private void trigger() {
        List<MessageTrigger.Message> messages = List.of(
                MessageTrigger.Message.PREPARE,
                MessageTrigger.Message.ACK,
                MessageTrigger.Message.PROPOSE,
                MessageTrigger.Message.ACCEPTED,
                MessageTrigger.Message.ACCEPTED,
                MessageTrigger.Message.INSTALL);
        MessageTrigger.Message message = messages.get(random.nextInt(messages.size()));
        Duration later = random.nextBoolean() ? Duration.ZERO : nanos(1L << 14 + random.nextInt(9));
        int count = 1 + random.nextInt(size);
        for (int index = random.nextInt(3); index >= 0; index--) {
            int node = node();
            Action then = switch (random.nextInt(6)) {
                case 0 -> new Ends.KillEnd(random.nextBoolean());
                case 1 -> new NodeActions.Reboot(node);
                case 2 -> new NodeActions.Kill(node);
                case 3 -> new Action.Coordinator(random.nextBoolean() ? Action.Coordinator.Fate.KILLED : Action.Coordinator.Fate.CUT_OFF);
                default -> lose();
            };
            step(new Action.Await(message, 0, count, later, then));
        }
    }

    private void end() {
        for (Schedule.Step step : steps) {
            nowNanos = Math.max(nowNanos, step.timeNanos());
        }
        step(new NetworkActions.HealAll());
    }

    private void startAll() {
        for (int node = 1; node <= size; node++) {
            step(new NodeActions.Start(node));
            step(new NodeActions.JoinAgain(node));
        }
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
        steps.add(new Schedule.Step(nowNanos, action));
    }

    private void pass(long nanos) {
        nowNanos += nanos;
    }

    private static final long SECOND = 1_000_000_000L;
}
