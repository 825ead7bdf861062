package dev.tutti.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.sim.Network;
import dev.tutti.sim.Path;
import dev.tutti.sim.SimulatedNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Anything that may go wrong, at random, under load; then nothing any more, and the cluster has to come to rest.
 *
 * <p>{@code -Dtutti.sim.seeds=1000} tries so many seeds, {@code -Dtutti.sim.first=N} begins with another one than 1. A seed
 * that has failed is added to {@link #GOLDEN}.
 */
class RandomExplorationTest {

    /** Seeds that found something. */
    private static final List<Long> GOLDEN = List.of(212L);

    /** What the exploration is worth nothing without. */
    private static final List<String> PATHS = List.of(
            "trace.break",
            "trace.cut",
            "trace.pause",
            "groups.story.dropped.frozen",
            "groups.story.dropped.old_ballot",
            "groups.story.dropped.old_view",
            "groups.story.membership.stragglers-completed",
            "groups.story.packing.window-closed",
            "groups.story.reliability.repairs-received");

    private static final Duration REST_MAX = Duration.ofSeconds(20);

    static List<Long> seeds() {
        List<Long> seeds = new ArrayList<>(GOLDEN);
        long first = Long.getLong("tutti.sim.first", 1);
        LongStream.range(first, first + Long.getLong("tutti.sim.seeds", 60)).forEach(seeds::add);
        return seeds;
    }

    private static final TreeMap<String, Long> REACHED = new TreeMap<>();

    @ParameterizedTest
    @MethodSource("seeds")
    void clusterComesToRestAfterAnyTrouble(long seed) {
        run(seed).counters().forEach((name, count) -> REACHED.merge(name, count, Long::sum));
    }

    @AfterAll
    static void rarePathsWereReached() {
        for (String path : PATHS) {
            assertThat(REACHED.getOrDefault(path, 0L)).as(path + " of " + REACHED).isPositive();
        }
    }

    @Test
    void oneSeedGivesOneRun() {
        for (long seed = 1; seed <= 3; seed++) {
            assertThat(run(seed).simulation().trace().hash())
                    .as("hash of the second run with seed " + seed)
                    .isEqualTo(run(seed).simulation().trace().hash());
        }
        assertThat(run(1).simulation().trace().hash()).isNotEqualTo(run(2).simulation().trace().hash());
    }

    private static Cluster run(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int size = 2 + random.nextInt(6);
        Cluster cluster = Cluster.cluster(size, seed);
        if (random.nextBoolean()) {
            cluster.with(GroupSettings.WINDOW, Size.kibibytes(128));
        }
        if (random.nextInt(3) == 0) {
            cluster.network().setPath(Path.LOCAL.withLatency(
                    Duration.ofNanos(random.nextLong(2_000_000)), Duration.ofNanos(random.nextLong(5_000_000))));
        }
        if (random.nextInt(3) == 0) {
            cluster.with(GroupSettings.MERGE_DELAY, Duration.ZERO);
        }
        for (int number = 1; number <= size; number++) {
            if (random.nextInt(8) == 0) {
                cluster.node(number).withTurn(1 + random.nextLong(10_000_000), random.nextLong(20_000));
            }
            cluster.start(number).advance(Duration.ofNanos(random.nextLong(3) * random.nextLong(20_000_000)));
        }
        cluster.advanceMillis(random.nextInt(400));
        if (random.nextInt(3) == 0) {
            cluster.chatter(Duration.ofMillis(5 + random.nextInt(100)));
        }
        int troubles = 5 + random.nextInt(60);
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
        // A paused member may just have come back and not know yet that it was left out.
        cluster.advance(Duration.ofSeconds(1));
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

    private static void trouble(Cluster cluster, SplittableRandom random) {
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
        Seat seat = cluster.seat(number);
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4 -> cluster.send(number, random.nextInt(60), 40 + random.nextInt(4_000));
            case 5 -> cluster.send(number, 1, 40 + random.nextInt(400_000));
            case 6, 7 -> {
                if (cluster.isUp(other) && cluster.seat(other).application.isMember()) {
                    cluster.sendTo(number, other, random.nextInt(30), 40 + random.nextInt(3_000));
                }
            }
            case 8, 9 -> cluster.note("crash n" + number).crash(number);
            case 10 -> cluster.note("power off n" + number).powerOff(number);
            case 11 -> cluster.note("leave n" + number).leaveIfMember(number);
            case 12 -> {
                cluster.note("pause n" + number).pause(number);
                long nanos = 1_000_000L << random.nextInt(13);
                cluster.simulation().after(Duration.ofNanos(nanos), () -> cluster.resume(number));
            }
            case 13, 14 -> {
                if (number != other) {
                    Network.Notice notice = Network.Notice.values()[random.nextInt(4)];
                    cluster.note("break n" + number + " n" + other).breakConnections(number, other, notice);
                }
            }
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
