package dev.tutti.campaign.cluster;

import static dev.tutti.campaign.cluster.SimulatedCluster.cluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.protocols.node.NodeSettings;
import dev.tutti.sim.Path;
import dev.tutti.sim.SimulatedNode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Networks that split and heal. */
class PartitionTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration SILENCE_MAX = Duration.ofSeconds(4);
    private static final Duration MERGE_MAX = Duration.ofSeconds(5);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void bothSidesGoOnAndMerge(long seed) {
        SimulatedCluster cluster = cluster(5, seed).start().assertOneView(SECOND).send(1, 20, 500).send(4, 20, 500);
        cluster.partition(1, 2).assertOneViewOf(SILENCE_MAX, 1, 2).assertOneViewOf(SILENCE_MAX, 3, 4, 5);
        cluster.send(1, 20, 500).send(4, 20, 500).advanceMillis(100);
        cluster.heal().send(2, 20, 500).assertOneView(MERGE_MAX).assertComesToRest(SECOND);
    }

    /** Some hear the excluded sender and some do not, at any moment of the change. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void everybodySendsWhileTwoLoseEachOther(long seed) {
        SimulatedCluster cluster = cluster(4, seed)
                .with(NodeSettings.HEARTBEAT, Duration.ofMillis(50))
                .with(NodeSettings.DETECTION_TIMEOUT, Duration.ofMillis(150));
        // Makes a change last as long as many messages.
        cluster.network().setPath(Path.LOCAL.withLatency(Duration.ofNanos(500_000), Duration.ofMillis(5)));
        cluster.start().assertOneView(SECOND).chatter(Duration.ofMillis(1));
        SimulatedNode one = cluster.node(1 + (int) seed % 4);
        SimulatedNode other = cluster.node(1 + (int) (seed / 4 + seed + 1) % 4);
        cluster.network().partition(List.of(one), List.of(other));
        var before = cluster.view(1).id();
        cluster.advance(SECOND);
        assertThat(cluster.present()).anyMatch(seat -> seat.view() != null && seat.view().id().isAfter(before));
        cluster.quiet().assertSafe().heal().assertOneView(MERGE_MAX).assertComesToRest(SECOND);
    }

    @Test
    void tenSingletonsMerge() {
        SimulatedCluster cluster = cluster(10).start().assertOneView(SECOND);
        for (int number = 1; number <= 10; number++) {
            cluster.partition(number);
        }
        cluster.until("ten parts", Duration.ofSeconds(8), () ->
                cluster.present().stream().allMatch(seat -> seat.view() != null && seat.view().size() == 1));
        cluster.heal().assertOneView(MERGE_MAX).assertComesToRest(SECOND);
    }

    @Test
    void shortCutIsNotNoticed() {
        SimulatedCluster cluster = cluster(4).start().assertOneView(SECOND).send(1, 20, 500);
        var before = cluster.view(1).id();
        cluster.partition(1, 2).send(3, 20, 500).advanceMillis(300).heal().assertComesToRest(SECOND);
        assertThat(cluster.view(1).id()).isEqualTo(before);
    }

    @Test
    void memberThatIsNotHeardIsLeftOut() {
        SimulatedCluster cluster = cluster(4).start().assertOneView(SECOND).send(3, 20, 500);
        for (int number : new int[] {1, 2, 4}) {
            cluster.network().cut(cluster.node(3), cluster.node(number));
        }
        cluster.assertOneViewOf(Duration.ofSeconds(8), 1, 2, 4).assertSafe();
        cluster.heal().assertOneView(MERGE_MAX).assertComesToRest(SECOND);
    }

    @Test
    void memberThatHearsNobodyIsLeftOut() {
        SimulatedCluster cluster = cluster(4).start().assertOneView(SECOND).send(1, 20, 500);
        for (int number : new int[] {1, 2, 4}) {
            cluster.network().cut(cluster.node(number), cluster.node(3));
        }
        cluster.assertOneViewOf(Duration.ofSeconds(8), 1, 2, 4).assertSafe();
        cluster.heal().assertOneView(MERGE_MAX).assertComesToRest(SECOND);
    }

    @Test
    void twoThatCannotHearEachOtherForGoodDoNotMakeViewsForEver() {
        SimulatedCluster cluster = cluster(4).start().assertOneView(SECOND);
        cluster.network().cut(cluster.node(3), cluster.node(4));
        cluster.network().cut(cluster.node(4), cluster.node(3));
        cluster.advance(Duration.ofSeconds(20)).assertSafe();
        var settled = cluster.view(1).id();
        assertThat(cluster.view(1).size()).isEqualTo(3);
        cluster.advance(Duration.ofSeconds(30)).assertSafe();
        assertThat(cluster.view(1).id()).isEqualTo(settled);
        cluster.heal().assertOneView(MERGE_MAX).assertComesToRest(SECOND);
    }

    @Test
    void bridgeBetweenTwoSidesDoesNotMakeViewsForEver() {
        SimulatedCluster cluster = cluster(5).start().assertOneView(SECOND);
        for (int left : new int[] {1, 2}) {
            for (int right : new int[] {4, 5}) {
                cluster.network().cut(cluster.node(left), cluster.node(right));
                cluster.network().cut(cluster.node(right), cluster.node(left));
            }
        }
        cluster.advance(Duration.ofSeconds(20)).assertSafe();
        var settled = cluster.view(3).id();
        cluster.advance(Duration.ofSeconds(30)).assertSafe();
        assertThat(cluster.view(3).id()).isEqualTo(settled);
        cluster.heal().assertOneView(MERGE_MAX).assertComesToRest(SECOND);
    }

    @Test
    void flappingPartitionEndsInOneView() {
        SimulatedCluster cluster = cluster(6).start().assertOneView(SECOND);
        for (int round = 0; round < 6; round++) {
            cluster.send(1 + round, 20, 300).partition(1, 2, 1 + round).advanceMillis(2_500);
            cluster.heal().advanceMillis(700);
        }
        cluster.assertOneView(MERGE_MAX).assertComesToRest(SECOND);
    }

    @Test
    void coordinatorCrashesWhileTheOthersAreApart() {
        SimulatedCluster cluster = cluster(5).start().assertOneView(SECOND);
        int coordinator = cluster.coordinator(1);
        cluster.partition(1, 2).advanceMillis(500).crash(coordinator).advance(Duration.ofSeconds(5));
        cluster.heal().assertOneView(MERGE_MAX).assertComesToRest(SECOND);
    }

    @Test
    void restartDuringAPartitionIsOneMemberAfterIt() {
        SimulatedCluster cluster = cluster(4).start().assertOneView(SECOND);
        cluster.partition(1, 2).advanceMillis(200).crash(2).restart(2).advance(Duration.ofSeconds(5));
        cluster.heal().assertOneView(MERGE_MAX).assertComesToRest(SECOND);
        assertThat(cluster.view(1).size()).isEqualTo(4);
    }
}
