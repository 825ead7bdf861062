package dev.tutti.campaign.schedule;

import dev.tutti.campaign.cluster.Action;
import dev.tutti.campaign.cluster.NetworkActions;
import dev.tutti.campaign.cluster.NodeActions;
import dev.tutti.campaign.cluster.Traffic;
import dev.tutti.campaign.lies.Theme;
import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeSettings;
import dev.tutti.sim.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Draws a schedule of {@link Schedule.Mode#LIAR}: a few members, of which one lies from its first frame to its end,
 * while others send, come, go and lose each other. The honest members are the core.
 */
public final class LiarSwarm {

    private static final long SECOND = 1_000_000_000L;

    private final long seed;
    private final SplittableRandom random;
    private final Theme theme;
    private final int size;
    private final int liar;
    private final List<Schedule.Step> steps = new ArrayList<>();
    private Schedule.World world = Schedule.World.plain();
    private long nowNanos;

    LiarSwarm(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed * 31 + Schedule.Mode.LIAR.ordinal());
        this.theme = Theme.of(seed);
        this.size = 3 + random.nextInt(4);
        int drawn = 1 + random.nextInt(size);
        // The oldest member coordinates, so that this liar is there from the beginning.
        this.liar = theme == Theme.INVENTED_MEMBERS ? 1 : drawn;
    }

    /** Returns the number of the schedule's liar: the one node that is not in the core. */
    public static int liarOf(Schedule schedule) {
        int liar = 1;
        while (schedule.world().core().contains(liar)) {
            liar++;
        }
        return liar;
    }

    Schedule draw() {
        drawWorld();
        boolean isAtOnce = random.nextBoolean();
        for (int node = 1; node <= size; node++) {
            step(new NodeActions.Start(node));
            pass(isAtOnce ? 0 : random.nextLong(SECOND / 2));
            if (node != liar) {
                world.core().add(node);
            }
        }
        pass(random.nextLong(2 * SECOND));
        for (int rounds = 3 + random.nextInt(8); rounds > 0; rounds--) {
            round();
        }
        return new Schedule(seed, Schedule.Mode.LIAR, size, world, steps);
    }

    private void drawWorld() {
        TreeMap<String, String> settings = world.settings();
        if (theme == Theme.PASSING_ON) {
            settings.put(GroupSettings.DISSEMINATION.name(), "ring");
        } else if (random.nextInt(3) == 0 && theme != Theme.REPAIRS) {
            settings.put(GroupSettings.STACK.name(), "total");
            settings.put(GroupSettings.TOTAL_BY.name(), "rotation");
            settings.put(GroupSettings.TOTAL_DELIVERY.name(), random.nextBoolean() ? "agreed" : "safe");
        } else if (random.nextInt(5) == 0) {
            settings.put(GroupSettings.DISSEMINATION.name(), "ring");
        }
        long heartbeat = 20 + random.nextLong(200);
        settings.put(NodeSettings.HEARTBEAT.name(), heartbeat + " ms");
        settings.put(NodeSettings.DETECTION_TIMEOUT.name(), 3 * heartbeat + " ms");
        settings.put(NodeSettings.PAUSE_MAX.name(), "200 ms");
        settings.put(GroupSettings.HOLD_BACK.name(), (50 + random.nextInt(300)) + " ms");
        settings.put(GroupSettings.BALLOT_TIMEOUT.name(), (200 + random.nextInt(800)) + " ms");
        settings.put(GroupSettings.LEAVE_TIMEOUT.name(), (100 + random.nextInt(500)) + " ms");
        settings.put(GroupSettings.MERGE_DELAY.name(), random.nextInt(100) + " ms");
        settings.put(GroupSettings.WINDOW.name(), Size.kibibytes(128).toString());
        if (random.nextBoolean()) {
            world = world.withPath(Path.LOCAL.withLatency(
                    Duration.ofNanos(random.nextLong(1L << 15 + random.nextInt(9))),
                    Duration.ofNanos(random.nextLong(1L << 15 + random.nextInt(9)))));
        }
        world = world.withDelays(Duration.ofMillis(200), Duration.ofMillis(1), Duration.ofMillis(20));
    }

    private void round() {
        for (int index = random.nextInt(4); index >= 0; index--) {
            step(new Traffic.Send(node(), 1 + random.nextInt(20), random.nextInt(1_000), 0));
        }
        for (int index = random.nextInt(3); index > 0; index--) {
            step(trouble());
            pass(random.nextLong(SECOND / 4));
        }
        pass(random.nextLong(SECOND));
        if (random.nextInt(3) == 0) {
            for (int node = 1; node <= size; node++) {
                step(new NodeActions.Start(node));
                step(new NodeActions.JoinAgain(node));
            }
        }
    }

    private Action trouble() {
        int node = node();
        int other = 1 + (node + random.nextInt(size - 1)) % size;
        return switch (random.nextInt(8)) {
            case 0, 1 -> new NodeActions.Kill(node);
            case 2 -> new NodeActions.Start(node);
            case 3 -> new NodeActions.Leave(node);
            case 4 -> new NodeActions.JoinAgain(node);
            case 5, 6 -> new NetworkActions.GiveUp(node, other);
            default -> new Traffic.Talk(node, Duration.ofMillis(5 + random.nextInt(100)));
        };
    }

    private int node() {
        return 1 + random.nextInt(size);
    }

    private void step(Action action) {
        steps.add(new Schedule.Step(nowNanos, action));
    }

    private void pass(long nanos) {
        nowNanos += nanos;
    }
}
