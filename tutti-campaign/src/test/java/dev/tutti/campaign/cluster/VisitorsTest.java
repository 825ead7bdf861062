package dev.tutti.campaign.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.protocols.node.NodeSettings;
import dev.tutti.sim.Trace;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes that come and go leave nothing behind at those that stay, and partitions of hours heal. {@code
 * -Dtutti.test.tries=1000} lets a thousand come and go, and a partition last 23 hours.
 */
@Tag("seeds")
class VisitorsTest {

    private static final Duration FORGET_AFTER = Duration.ofHours(1);
    private static final Duration MERGE_MAX = Duration.ofSeconds(5);
    private static final Duration WATCHED = Duration.ofMinutes(10);
    private static final int VISITORS = Math.min(1_000, Integer.getInteger("tutti.test.tries", 200));
    private static final int AT_A_TIME = 20;

    /** Of a partition. */
    private static final int HOURS_MAX = VISITORS < 1_000 ? 6 : 23;

    /** Amounts of work of a pair while it is watched. */
    private record Work(long dials, long frames, long turns) {}

    @Test
    void idlePairDoesNoMoreAfterManyNodesHaveComeAndGone() {
        assertThatVisitorsLeaveNothingBehind(false);
    }

    @Test
    @Tag("slow")
    void idlePairOnDatagramsDoesNoMoreAfterManyNodesHaveComeAndGone() {
        assertThatVisitorsLeaveNothingBehind(true);
    }

    private static void assertThatVisitorsLeaveNothingBehind(boolean isOnDatagrams) {
        SimulatedCluster alone = pair(isOnDatagrams);
        alone.advance(Duration.ofMinutes(5));
        Work before = watch(alone);
        SimulatedCluster visited = pair(isOnDatagrams);
        for (int first = 3; first < 3 + VISITORS; first += AT_A_TIME) {
            int[] visitors = IntStream.range(first, first + AT_A_TIME).toArray();
            visited.start(visitors).until("all are in one view", Duration.ofSeconds(20), visited::isOneView);
            for (int visitor : visitors) {
                if (visitor % 2 == 0) {
                    visited.crash(visitor);
                } else {
                    visited.stop(visitor);
                }
            }
            visited.until("the pair is alone", Duration.ofSeconds(20), visited::isOneView);
        }
        visited.advance(Duration.ofMinutes(5));
        Work after = watch(visited);
        long dialsMax = isOnDatagrams ? 2 * 8 * WATCHED.toSeconds() : 2 * 8 * WATCHED.toSeconds() / 20;
        assertThat(after.dials()).as("a few of those that crashed may be on the other side of a partition").isBetween(1L, dialsMax);
        visited.advance(FORGET_AFTER);
        Work finallyDone = watch(visited);
        assertThat(finallyDone.dials()).isEqualTo(before.dials()).isZero();
        // Less of it depends on which of the two asks whether the other is there.
        assertThat(finallyDone.frames()).isBetween(before.frames() / 2, before.frames() * 101 / 100);
        assertThat(finallyDone.turns()).isBetween(before.turns() / 2, before.turns() * 101 / 100);
        visited.assertSafe();
    }

    private static SimulatedCluster pair(boolean isOnDatagrams) {
        int size = 2 + VISITORS;
        return (isOnDatagrams ? SimulatedCluster.clusterOnDatagrams(size, 1) : SimulatedCluster.cluster(size, 1))
                .withSeeds(2)
                .with(NodeSettings.FORGET_AFTER, FORGET_AFTER)
                .start(1, 2)
                .assertOneView(Duration.ofSeconds(1));
    }

    private static Work watch(SimulatedCluster cluster) {
        Work start = work(cluster);
        cluster.advance(WATCHED);
        Work end = work(cluster);
        return new Work(end.dials() - start.dials(), end.frames() - start.frames(), end.turns() - start.turns());
    }

    private static Work work(SimulatedCluster cluster) {
        Trace trace = cluster.simulation().trace();
        long turns = 0;
        for (int number : List.of(1, 2)) {
            turns += cluster.node(number).turns();
        }
        return new Work(
                cluster.counters().getOrDefault("discovery.dialed", 0L), trace.count(Trace.Kind.FRAME), turns);
    }

    /** The only seed ends in the meantime, so that the parts have to remember each other's addresses. */
    @ParameterizedTest
    @ValueSource(longs = {1, 23})
    void partsThatWereApartForHoursComeTogetherWithoutASeed(long hours) {
        SimulatedCluster cluster = SimulatedCluster.cluster(6, hours).withSeeds(1);
        cluster.start().assertOneView(Duration.ofSeconds(5)).advance(Duration.ofMinutes(1));
        cluster.partition(1, 2, 3).advance(Duration.ofMinutes(1)).stop(1).advance(Duration.ofHours(Math.min(hours, HOURS_MAX))).heal();
        cluster.assertOneView(MERGE_MAX).assertComesToRest(Duration.ofSeconds(2));
    }

    @Test
    void pairThatWasApartWhileOthersCameAndCrashedComesTogetherWithoutASeed() {
        SimulatedCluster cluster = SimulatedCluster.cluster(60, 7).withSeeds(1);
        cluster.start(1, 2, 3).assertOneView(Duration.ofSeconds(5)).advance(Duration.ofMinutes(10));
        cluster.partition(IntStream.rangeClosed(1, 60).filter(number -> number != 3).toArray());
        cluster.advance(Duration.ofMinutes(1));
        for (int visitor = 4; visitor <= 60; visitor++) {
            cluster.start(visitor).advance(Duration.ofSeconds(5));
            if (visitor % 2 == 0) {
                cluster.crash(visitor);
            } else {
                cluster.powerOff(visitor);
            }
            cluster.advance(Duration.ofSeconds(5));
        }
        cluster.stop(1).advance(Duration.ofHours(5)).heal();
        cluster.assertOneView(MERGE_MAX).assertComesToRest(Duration.ofSeconds(2));
    }
}
