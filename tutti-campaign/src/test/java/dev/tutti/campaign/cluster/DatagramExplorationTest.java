package dev.tutti.campaign.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.sim.DatagramNetwork;
import dev.tutti.sim.DatagramPath;
import dev.tutti.sim.SimulatedNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All faults of nodes and of datagrams, with and without multicast, at random, under load. Then only loss remains, and
 * the cluster has to come to rest.
 *
 * <p>{@code -Dtutti.sim.seeds=1000} tries this many seeds, {@code -Dtutti.sim.first=N} begins with seed N instead of 1.
 */
class DatagramExplorationTest {

    /** Fates of datagrams that the exploration has to reach. */
    private static final List<String> PATHS = List.of(
            "lost",
            "duplicated",
            "corrupted",
            "truncated",
            "dropped_at_tail",
            "receiver_full",
            "cut",
            "multicast",
            "trace.pause",
            "groups.story.dropped.frozen",
            "groups.story.reliability.nacks-sent",
            "groups.story.reliability.repeats-sent",
            "groups.story.reliability.overtaken-packets",
            "groups.story.reliability.repairs-received");

    /** Seeds that have found bugs. */
    private static final List<Long> GOLDEN = List.of(261L, 636L);

    private static final Duration REST_MAX = Duration.ofSeconds(60);

    static List<Long> seeds() {
        List<Long> seeds = new ArrayList<>(GOLDEN);
        long first = Long.getLong("tutti.sim.first", 1);
        LongStream.range(first, first + Long.getLong("tutti.sim.seeds", 30)).forEach(seeds::add);
        return seeds;
    }

    private static final TreeMap<String, Long> REACHED = new TreeMap<>();

    @ParameterizedTest
    @MethodSource("seeds")
    void clusterComesToRestAfterAnyTrouble(long seed) {
        SimulatedCluster cluster = run(seed);
        cluster.counters().forEach((name, count) -> REACHED.merge(name, count, Long::sum));
        for (DatagramNetwork.Fate fate : DatagramNetwork.Fate.values()) {
            REACHED.merge(fate.name().toLowerCase(Locale.ROOT), cluster.datagrams().count(fate), Long::sum);
        }
    }

    @AfterAll
    static void rarePathsWereReached() {
        for (String path : PATHS) {
            assertThat(REACHED.getOrDefault(path, 0L)).as(path + " of " + REACHED).isPositive();
        }
    }

    @Test
    void oneSeedGivesOneRun() {
        assertThat(run(1).simulation().trace().hash()).isEqualTo(run(1).simulation().trace().hash());
        assertThat(run(1).simulation().trace().hash()).isNotEqualTo(run(2).simulation().trace().hash());
    }

    private static DatagramPath path(SplittableRandom random, double lossMax) {
        DatagramPath path = DatagramPath.LOCAL.withLoss(random.nextInt(3) == 0 ? 0 : random.nextDouble(lossMax));
        if (random.nextBoolean()) {
            path = path.withLatency(
                    Duration.ofNanos(random.nextLong(2_000_000)), Duration.ofNanos(random.nextLong(3_000_000)));
        }
        if (random.nextInt(3) == 0) {
            path = path.withDuplication(random.nextDouble(0.5));
        }
        if (random.nextInt(3) == 0) {
            path = path.withDamage(random.nextDouble(0.1), random.nextDouble(0.1));
        }
        if (random.nextInt(3) == 0) {
            path = path.withTail(random.nextDouble(0.1), Duration.ofMillis(1 + random.nextInt(50)));
        }
        if (random.nextInt(3) == 0) {
            path = path.withCapacity(200_000 + random.nextLong(5_000_000), 3_000 + random.nextInt(60_000));
        }
        return random.nextBoolean() ? path : path.withMulticastLoss(random.nextDouble(0.6));
    }

    private static SimulatedCluster run(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int size = 2 + random.nextInt(5);
        SimulatedCluster cluster = SimulatedCluster.clusterOnDatagrams(size, seed);
        if (random.nextInt(3) > 0) {
            cluster.withMulticast();
        }
        if (random.nextInt(3) == 0) {
            cluster.withDatagrams(random.nextBoolean() ? 65_000 : 9_000);
        }
        if (random.nextInt(3) == 0) {
            cluster.datagrams().setReceiveBuffer(2_000 + random.nextInt(20_000));
        }
        if (random.nextBoolean()) {
            cluster.with(GroupSettings.WINDOW, Size.kibibytes(128));
        }
        cluster.datagrams().setPath(path(random, 0.4));
        for (int number = 1; number <= size; number++) {
            if (random.nextInt(8) == 0) {
                cluster.node(number).withTurn(1 + random.nextLong(10_000_000), random.nextLong(20_000));
            }
            cluster.start(number).advance(Duration.ofNanos(random.nextLong(3) * random.nextLong(20_000_000)));
        }
        cluster.advanceMillis(random.nextInt(1_500));
        if (random.nextInt(3) == 0) {
            cluster.chatter(Duration.ofMillis(5 + random.nextInt(100)));
        }
        int troubles = 5 + random.nextInt(40);
        for (int index = 0; index < troubles; index++) {
            trouble(cluster, random);
            cluster.advance(pause(random));
        }
        boolean isEverybodyBack = random.nextBoolean();
        for (int number = 1; number <= size; number++) {
            cluster.resume(number);
            if (isEverybodyBack && cluster.node(number).life() == SimulatedNode.Life.DOWN) {
                cluster.restart(number);
            }
            if (cluster.isUp(number)) {
                cluster.seat(number).application.setPace(Duration.ZERO);
                cluster.seat(number).application.release();
            }
        }
        cluster.note("no more trouble").heal();
        cluster.datagrams().clearPaths();
        cluster.datagrams().setPath(DatagramPath.LOCAL.withLoss(random.nextDouble(0.2)).withMulticastLoss(random.nextDouble(0.3)));
        // A paused member may just have come back and not know yet that it was excluded.
        cluster.advance(Duration.ofSeconds(2));
        return cluster.assertComesToRest(REST_MAX);
    }

    private static Duration pause(SplittableRandom random) {
        return switch (random.nextInt(12)) {
            case 0 -> Duration.ofMillis(random.nextInt(5_000));
            case 1, 2, 3 -> Duration.ZERO;
            case 4, 5, 6 -> Duration.ofNanos(random.nextLong(300_000));
            case 7, 8, 9 -> Duration.ofNanos(random.nextLong(20_000_000));
            default -> Duration.ofMillis(random.nextInt(600));
        };
    }

    private static void trouble(SimulatedCluster cluster, SplittableRandom random) {
        int number = 1 + random.nextInt(cluster.size());
        int other = 1 + random.nextInt(cluster.size());
        if (!cluster.isUp(number)) {
            if (cluster.node(number).life() == SimulatedNode.Life.DOWN) {
                cluster.note("start n" + number).restart(number);
            } else {
                cluster.note("end n" + number).crash(number);
            }
            return;
        }
        SimulatedMember seat = cluster.seat(number);
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4 -> cluster.send(number, random.nextInt(60), 40 + random.nextInt(4_000));
            case 5 -> cluster.send(number, 1, 40 + random.nextInt(400_000));
            case 6, 7 -> {
                if (cluster.isUp(other) && cluster.seat(other).application.isMember()) {
                    cluster.sendTo(number, other, random.nextInt(30), 40 + random.nextInt(3_000));
                }
            }
            case 8 -> cluster.note("crash n" + number).crash(number);
            case 9 -> cluster.note("power off n" + number).powerOff(number);
            case 10 -> cluster.note("leave n" + number).leaveIfMember(number);
            case 11 -> {
                cluster.note("pause n" + number).pause(number);
                long nanos = 1_000_000L << random.nextInt(13);
                cluster.simulation().after(Duration.ofNanos(nanos), () -> cluster.resume(number));
            }
            case 12, 13 -> cluster.datagrams().setPath(path(random, 0.4));
            case 14 -> cluster.datagrams().setPath(cluster.node(number), cluster.node(other), path(random, 0.9));
            case 15 -> {
                if (number != other) {
                    cluster.network().cut(cluster.node(number), cluster.node(other));
                }
            }
            case 16 -> cluster.note("partition n" + number + " n" + other).partition(number, other);
            case 17 -> cluster.heal();
            case 18 -> {
                if (random.nextBoolean()) {
                    seat.application.stick();
                } else {
                    seat.application.release();
                }
            }
            default -> seat.application.setPace(Duration.ofNanos(random.nextLong(3) * random.nextLong(5_000_000)));
        }
    }
}
