package dev.tutti.campaign.cluster;

import static dev.tutti.campaign.cluster.SimulatedCluster.clusterOnDatagrams;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.sim.DatagramNetwork;
import dev.tutti.sim.DatagramPath;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scenarios on datagrams: the same groups, on a network that loses, repeats, damages and reorders. */
class DatagramClusterTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static SimulatedCluster lossy(int size, long seed, double loss) {
        SimulatedCluster cluster = clusterOnDatagrams(size, seed);
        cluster.datagrams().setPath(DatagramPath.LOCAL
                .withLatency(Duration.ofNanos(50_000), Duration.ofNanos(200_000))
                .withLoss(loss)
                .withDuplication(loss / 2)
                .withDamage(loss / 10, loss / 10));
        return cluster;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 8, 12, 16})
    void simultaneousStartsEndInOneViewWithinASecond(int size) {
        clusterOnDatagrams(size, size).start().assertOneView(SECOND).send(1, 10, 100).assertComesToRest(SECOND);
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 20, 30, 40})
    void clusterFormsOverLoss(int percent) {
        lossy(5, percent, percent / 100.0)
                .start()
                .assertOneView(Duration.ofSeconds(10))
                .send(1, 100, 500)
                .send(2, 3, 200_000)
                .assertComesToRest(Duration.ofSeconds(10));
    }

    @Test
    void everybodySendsToEverybodyOverLoss() {
        SimulatedCluster cluster = lossy(4, 3, 0.2).start().assertOneView(Duration.ofSeconds(10));
        for (int number = 1; number <= 4; number++) {
            cluster.send(number, 500, 1_000).sendTo(number, number % 4 + 1, 50, 3_000);
        }
        cluster.assertComesToRest(Duration.ofSeconds(20));
        assertThat(cluster.datagrams().count(DatagramNetwork.Fate.LOST)).isPositive();
        assertThat(cluster.datagrams().count(DatagramNetwork.Fate.CORRUPTED)).isPositive();
    }

    @Test
    void crashIsNoticedOverLoss() {
        SimulatedCluster cluster = lossy(4, 4, 0.1).start().assertOneView(Duration.ofSeconds(10));
        cluster.send(2, 200, 1_000).crash(2);
        cluster.assertOneView(Duration.ofSeconds(8)).assertComesToRest(Duration.ofSeconds(5));
        assertThat(cluster.view(1).size()).isEqualTo(3);
    }

    @Test
    void restartedProcessIsNoticedAtOnce() {
        SimulatedCluster cluster = clusterOnDatagrams(3, 5).start().assertOneView(SECOND);
        cluster.crash(2).restart(2).assertOneView(Duration.ofSeconds(3)).assertComesToRest(SECOND);
        assertThat(cluster.view(1).size()).isEqualTo(3);
    }

    @Test
    void gracefulStopIsNoticedAtOnce() {
        SimulatedCluster cluster = clusterOnDatagrams(3, 6).start().assertOneView(SECOND);
        cluster.stop(2).assertOneView(Duration.ofMillis(250)).assertComesToRest(SECOND);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 30})
    void partitionHealsIntoOneView(int percent) {
        SimulatedCluster cluster = lossy(5, 7, percent / 100.0).start().assertOneView(Duration.ofSeconds(10));
        cluster.chatter(Duration.ofMillis(50)).partition(1, 2).advance(Duration.ofSeconds(15));
        assertThat(cluster.view(1).size()).isEqualTo(2);
        assertThat(cluster.view(3).size()).isEqualTo(3);
        cluster.heal().assertOneView(Duration.ofSeconds(10)).assertComesToRest(Duration.ofSeconds(10));
    }
}
