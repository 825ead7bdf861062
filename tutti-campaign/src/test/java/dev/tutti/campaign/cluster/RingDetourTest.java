package dev.tutti.campaign.cluster;

import static dev.tutti.campaign.cluster.SimulatedCluster.cluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.GroupSettings.Dissemination;
import dev.tutti.protocols.node.GroupSettings.StackKind;
import dev.tutti.protocols.node.NodeSettings;
import dev.tutti.sim.Network;
import dev.tutti.sim.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rings with a slow or failed member, and senders that choose between the ring and all at once. */
class RingDetourTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofMillis(50);

    private static SimulatedCluster ring(int size, long seed, StackKind stack, Dissemination way) {
        return cluster(size, seed)
                .with(GroupSettings.STACK, stack)
                .with(GroupSettings.DISSEMINATION, way)
                .with(GroupSettings.RING_PATIENCE, PATIENCE)
                .with(GroupSettings.WINDOW, Size.kibibytes(128));
    }

    /** Gives the member this path from each other, from now on. */
    private static void slow(SimulatedCluster cluster, int size, int slow, Path path) {
        for (int from = 1; from <= size; from++) {
            if (from != slow) {
                cluster.network().setPath(cluster.node(from), cluster.node(slow), path);
            }
        }
    }

    private static long delivered(SimulatedCluster cluster, int number) {
        return cluster.seat(number).application.deliveredCount();
    }

    @Test
    void memberThatStandsStillDelaysThoseBehindItForTwoPatiencesAtMost() {
        for (int stuck = 2; stuck <= 4; stuck++) {
            SimulatedCluster cluster =
                    ring(5, 7, StackKind.FIFO, Dissemination.RING).with(NodeSettings.DETECTION_TIMEOUT, Duration.ofSeconds(5));
            cluster.start().assertOneView(SECOND);
            long before = delivered(cluster, 5);
            cluster.pause(stuck).send(1, 20, 1_000).advance(PATIENCE.multipliedBy(2).plusMillis(10));
            for (int number = 2; number <= 5; number++) {
                assertThat(delivered(cluster, number) - before)
                        .as("member %d, with %d paused", number, stuck)
                        .isEqualTo(number == stuck ? 0 : 20);
            }
            cluster.resume(stuck).assertOneView(Duration.ofSeconds(10)).assertComesToRest(Duration.ofSeconds(10));
        }
    }

    @Test
    void failedMemberDelaysThoseBehindItNoLongerThanASlowOne() {
        SimulatedCluster cluster =
                ring(5, 8, StackKind.FIFO, Dissemination.RING).with(NodeSettings.DETECTION_TIMEOUT, Duration.ofSeconds(4));
        cluster.start().assertOneView(SECOND);
        long before = delivered(cluster, 5);
        // No goodbye: no other node learns of the end before the detector suspects the member.
        cluster.powerOff(3).send(1, 20, 1_000).advance(PATIENCE.multipliedBy(2).plusMillis(10));
        assertThat(delivered(cluster, 4) - before).isEqualTo(20);
        assertThat(delivered(cluster, 5) - before).isEqualTo(20);
        assertThat(cluster.seat(1).view().size()).isEqualTo(5);
        cluster.assertOneViewOf(Duration.ofSeconds(10), 1, 2, 4, 5).assertComesToRest(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @EnumSource(value = StackKind.class, names = {"FIFO", "CAUSAL", "TOTAL"})
    void orderIsKeptWhileMembersAreSlowByTurns(StackKind stack) {
        for (long seed = 1; seed <= 6; seed++) {
            SimulatedCluster cluster = ring(6, seed, stack, Dissemination.RING)
                    .with(GroupSettings.RING_PATIENCE, Duration.ofMillis(3))
                    .start()
                    .assertOneView(SECOND);
            for (int round = 0; round < 12; round++) {
                int slow = 1 + (int) ((round / 3 + seed) % 6);
                slow(cluster, 6, slow, round % 3 < 2 ? Path.LOCAL.withLatency(Duration.ofMillis(40), Duration.ZERO) : Path.LOCAL);
                for (int from = 1; from <= 6; from++) {
                    cluster.send(from, 10, 2_000);
                }
                cluster.advance(Duration.ofMillis(25));
                if (round % 4 == 3) {
                    cluster.breakConnections(2, 3, Network.Notice.BOTH);
                }
            }
            cluster.assertOneView(SECOND).assertComesToRest(Duration.ofSeconds(20));
            assertThat(counted(cluster, "ring-skips")).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(value = StackKind.class, names = {"FIFO", "TOTAL"})
    void orderIsKeptWhileASenderTriesTheRingAndGoesBack(StackKind stack) {
        // One sender whose links together are no slower than each alone, so that a ring does not help.
        SimulatedCluster cluster = ring(4, 5, stack, Dissemination.AUTO).with(GroupSettings.WINDOW, Size.mebibytes(1));
        cluster.network().setPath(Path.LOCAL.withCapacity(3_000_000));
        cluster.start().assertOneView(SECOND);
        for (int round = 0; round < 50; round++) {
            cluster.send(1, 120, 4_000).advance(Duration.ofMillis(100));
        }
        assertThat(counted(cluster, "ring-overtakers")).as("packets that came the shorter way").isPositive();
        assertThat(counted(cluster, "ring-changes")).as("ways changed").isGreaterThanOrEqualTo(2);
        cluster.assertOneView(SECOND).assertComesToRest(Duration.ofSeconds(60));
    }

    /** Returns the sum of a counter over all members. */
    private static long counted(SimulatedCluster cluster, String name) {
        return cluster.counters().entrySet().stream()
                .filter(entry -> entry.getKey().endsWith("reliability." + name))
                .mapToLong(entry -> entry.getValue())
                .sum();
    }
}
