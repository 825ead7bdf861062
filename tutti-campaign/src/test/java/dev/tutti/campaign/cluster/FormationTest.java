package dev.tutti.campaign.cluster;

import static dev.tutti.campaign.cluster.SimulatedCluster.cluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.sim.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Formation of groups. */
class FormationTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void firstMemberWaitsForNobody() {
        SimulatedCluster cluster = cluster(3).start(1);
        cluster.until("joined", Duration.ofMillis(50), () -> cluster.seat(1).application.isJoined());
        assertThat(cluster.view(1).size()).isOne();
        cluster.send(1, 3, 100).assertComesToRest(SECOND);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 8, 12, 16, 24, 32})
    void simultaneousStartsEndInOneViewWithinASecond(int size) {
        cluster(size, size).start().assertOneView(SECOND).send(1, 10, 100).assertComesToRest(SECOND);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void simultaneousStartsWithJitterEndInOneViewWithinASecond(long seed) {
        SimulatedCluster cluster = cluster(8, seed);
        cluster.network().setPath(Path.LOCAL.withLatency(Duration.ofNanos(20_000), Duration.ofMillis(20)));
        cluster.start().assertOneView(SECOND).assertComesToRest(Duration.ofSeconds(2));
    }

    @Test
    void joinedIsToldInAViewWithThoseFound() {
        SimulatedCluster cluster = cluster(3).start(1, 2).assertOneView(SECOND).start(3);
        cluster.until("join of n3", SECOND, () -> cluster.seat(3).application.isJoined());
        assertThat(cluster.view(3).size()).isEqualTo(3);
    }

    @Test
    void membersJoinOneAfterAnotherWhileOthersSend() {
        SimulatedCluster cluster = cluster(6).start(1);
        for (int number = 2; number <= 6; number++) {
            cluster.send(number - 1, 50, 1_000).start(number).advanceMillis(30);
        }
        cluster.assertComesToRest(Duration.ofSeconds(2));
    }

    @Test
    void memberJoinsAgainAfterLeaving() {
        SimulatedCluster cluster = cluster(3).start().assertOneView(SECOND);
        cluster.stop(2);
        cluster.assertOneView(SECOND);
        cluster.restart(2).assertOneView(SECOND).assertComesToRest(SECOND);
    }

    @Test
    void oldestMemberCoordinatesWhoeverJoinsLater() {
        SimulatedCluster cluster = cluster(4).start(3).advanceMillis(100).start(1, 2, 4).assertOneView(SECOND);
        assertThat(cluster.coordinator(1)).isEqualTo(3);
    }

    @Test
    void distantNodesFindEachOther() {
        SimulatedCluster cluster = cluster(5);
        cluster.network().setPath(Path.DISTANT);
        cluster.start().assertOneView(SECOND).send(1, 20, 2_000).assertComesToRest(SECOND);
    }
}
