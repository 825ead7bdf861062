package dev.tutti.campaign.schedule;

import dev.tutti.campaign.cluster.ScheduledFault;
import dev.tutti.campaign.cluster.SimulatedCluster;
import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeSettings;
import dev.tutti.sim.DatagramPath;
import dev.tutti.sim.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Draws the world of a schedule: settings, paths, datagrams, delays and clocks. */
final class WorldDraw {

    /** Seeds setting with which each node knows only the first one. */
    static final String FIRST_ONLY = "n1:7800";

    /** Multiple of a path's jitter by which a time-out at least exceeds the heartbeat. */
    private static final long DELAYS_BEFORE_A_VERDICT = 3;

    private final SplittableRandom random;
    private final long seed;
    private final Schedule.Mode mode;
    private final int size;
    private final EnumSet<ScheduledFault> faults;
    private final boolean isUnreliable;
    private Schedule.World world = Schedule.World.plain();

    /** @param random stream of the schedule, from which everything is drawn that has no stream of its own */
    WorldDraw(
            SplittableRandom random,
            long seed,
            Schedule.Mode mode,
            int size,
            EnumSet<ScheduledFault> faults,
            boolean isUnreliable) {
        this.random = random;
        this.seed = seed;
        this.mode = mode;
        this.size = size;
        this.faults = faults;
        this.isUnreliable = isUnreliable;
    }

    /** Draws the world; call it once. */
    Schedule.World draw() {
        TreeMap<String, String> settings = world.settings();
        if (isUnreliable) {
            settings.put(GroupSettings.STACK.name(), "unreliable");
        } else {
            GroupDraw.order(settings, seed, mode);
        }
        GroupDraw.layers(settings, seed, mode);
        GroupDraw.aside(settings, seed, mode);
        drawSeeds(settings);
        if (random.nextBoolean()) {
            int window = random.nextInt(3) == 0 ? 1024 : 128 + random.nextInt(128);
            settings.put(GroupSettings.WINDOW.name(), Size.kibibytes(window).toString());
        }
        set(GroupSettings.MERGE_DELAY.name(), 3, 0, 2_000);
        set(GroupSettings.ACK_DELAY.name(), 5, 0, 50);
        set(GroupSettings.STABLE_DELAY.name(), 5, 1, 1_000);
        set(GroupSettings.HOLD_BACK.name(), 5, 10, 8_000);
        set(GroupSettings.BALLOT_TIMEOUT.name(), 5, 100, 10_000);
        set(GroupSettings.LEAVE_TIMEOUT.name(), 5, 1, 4_000);
        set(NodeSettings.PATIENCE.name(), 4, 0, 2_000);
        set(NodeSettings.PAUSE_MAX.name(), 5, 100, 4_000);
        long heartbeatMillis = 0;
        long timeoutMillis = 0;
        if (random.nextInt(3) == 0) {
            heartbeatMillis = 50 + random.nextLong(2_000);
            timeoutMillis = heartbeatMillis * (2 + random.nextInt(4));
        }
        if (random.nextInt(4) == 0) {
            settings.put(NodeSettings.RESEND_BUFFER.name(), Size.mebibytes(1 + random.nextInt(4)).toString());
        }
        Path path = Path.LOCAL;
        if (random.nextBoolean()) {
            path = path.withLatency(
                    Duration.ofNanos(random.nextLong(1L << 15 + random.nextInt(11))),
                    Duration.ofNanos(random.nextLong(1L << 15 + random.nextInt(13))));
        }
        if (random.nextInt(4) == 0) {
            path = path.withBuffer(1 << 10 + random.nextInt(9));
        }
        if (random.nextInt(4) == 0) {
            path = path.withCapacity(random.nextBoolean() ? 3_000_000 : 30_000_000);
        }
        if (faults.contains(ScheduledFault.TAIL)) {
            path = path.withTail(Duration.ofMillis(1 << random.nextInt(8)));
        }
        world = world.withPath(path);
        if (heartbeatMillis > 0) {
            // A time-out shorter than the arrival of heartbeats makes views change for ever.
            long needed = heartbeatMillis + DELAYS_BEFORE_A_VERDICT * path.jitter().toMillis();
            settings.put(NodeSettings.HEARTBEAT.name(), heartbeatMillis + " ms");
            settings.put(NodeSettings.DETECTION_TIMEOUT.name(), Math.max(timeoutMillis, needed) + " ms");
        }
        if (random.nextInt(5) == 0) {
            world = world.on(datagrams());
        }
        if (random.nextInt(3) == 0) {
            world = world.withDelays(
                    Duration.ofMillis(1 << random.nextInt(13)),
                    Duration.ofMillis(1 << random.nextInt(12)),
                    Duration.ofMillis(1 << random.nextInt(12)));
        }
        for (int node = 1; node <= size; node++) {
            if (faults.contains(ScheduledFault.DRIFT) && random.nextBoolean()) {
                world.driftPpm().put(node, random.nextLong(-100_000, 100_001));
            }
            if (faults.contains(ScheduledFault.TIMERS) && random.nextBoolean()) {
                world.lateTimers().put(node, Duration.ofMillis(random.nextInt(50)));
            }
        }
        return world;
    }

    private Schedule.Datagrams datagrams() {
        DatagramPath path = DatagramPath.LOCAL;
        if (random.nextInt(3) > 0) {
            path = path.withLoss(share(0.3));
        }
        if (random.nextBoolean()) {
            path = path.withLatency(
                    Duration.ofNanos(random.nextLong(2_000_000)), Duration.ofNanos(random.nextLong(3_000_000)));
        }
        if (random.nextInt(3) == 0) {
            path = path.withDuplication(share(0.5));
        }
        if (random.nextInt(3) == 0) {
            path = path.withDamage(share(0.1), share(0.1));
        }
        if (faults.contains(ScheduledFault.TAIL)) {
            path = path.withTail(share(0.1), Duration.ofMillis(1 << random.nextInt(8)));
        }
        if (random.nextInt(3) == 0) {
            path = path.withCapacity(200_000 + random.nextLong(5_000_000), 3_000 + random.nextInt(60_000));
        }
        if (random.nextBoolean()) {
            path = path.withMulticastLoss(share(0.5));
        }
        int bytesMax = random.nextInt(3) > 0 ? 1_400 : random.nextBoolean() ? 9_000 : 65_000;
        int bufferBytes = random.nextInt(3) > 0 ? 4 << 20 : 2_000 + random.nextInt(20_000);
        boolean isMulticast = random.nextInt(3) > 0;
        return new Schedule.Datagrams(bytesMax, isMulticast, random.nextInt(3) > 0, bufferBytes, path);
    }

    /** Draws a share in steps of a hundredth, which is easy to read. */
    private double share(double max) {
        return random.nextInt((int) (max * 100) + 1) / 100.0;
    }

    /** Draws nodes that do not know all others from the start, if all are up in the end and no cut stays. */
    private void drawSeeds(TreeMap<String, String> settings) {
        SplittableRandom seeds = new SplittableRandom(~seed * 43 + mode.ordinal());
        if (mode == Schedule.Mode.SAFETY && seeds.nextInt(3) == 0) {
            settings.put(NodeSettings.SEEDS.name(), seeds.nextBoolean() ? SimulatedCluster.NEXT_ONLY.getFirst() : FIRST_ONLY);
        }
    }

    private void set(String name, int oneIn, int min, int max) {
        if (random.nextInt(oneIn) == 0) {
            int value = min + (random.nextBoolean() ? 0 : random.nextInt(max - min));
            world.settings().put(name, value + " ms");
        }
    }
}
