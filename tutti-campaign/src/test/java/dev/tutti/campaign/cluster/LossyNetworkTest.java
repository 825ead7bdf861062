package dev.tutti.campaign.cluster;

import static dev.tutti.campaign.cluster.SimulatedCluster.clusterOnDatagrams;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.sim.DatagramPath;
import dev.tutti.sim.SimulatedNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Members that stay and go on a lossy network. {@code -Dtutti.sim.hours=24} makes the first scenario last a day.
 */
class LossyNetworkTest {

    @Test
    void lossOnAllLinksRemovesNobody() {
        long seconds = Long.getLong("tutti.sim.hours", 0) * 3_600;
        SimulatedCluster cluster = clusterOnDatagrams(16, 1);
        cluster.datagrams().setPath(DatagramPath.LOCAL.withLoss(0.2));
        cluster.start().assertOneView(Duration.ofSeconds(20)).advance(Duration.ofSeconds(2));
        long number = cluster.view(1).id().number();
        cluster.advance(Duration.ofSeconds(Math.max(60, seconds)));
        assertThat(cluster.isOneView()).isTrue();
        assertThat(cluster.view(1).id().number()).isEqualTo(number);
        assertThat(cluster.view(1).size()).isEqualTo(16);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void nodeBehindALinkThatLosesMostIsRemovedAlone(long seed) {
        SimulatedCluster cluster = clusterOnDatagrams(8, seed);
        List<String> events = new ArrayList<>();
        cluster.withListener((node, event) ->
                events.add(cluster.simulation().nowNanos() / 1_000_000 + " n" + node + " " + event));
        cluster.start().assertOneView(Duration.ofSeconds(2));
        cluster.advance(Duration.ofSeconds(2));
        long number = cluster.view(1).id().number();
        SimulatedNode lossy = cluster.node(5);
        for (int other = 1; other <= 8; other++) {
            cluster.datagrams().setPath(lossy, cluster.node(other), DatagramPath.LOCAL.withLoss(0.8));
            cluster.datagrams().setPath(cluster.node(other), lossy, DatagramPath.LOCAL.withLoss(0.8));
        }
        cluster.until("n5 removed alone", Duration.ofSeconds(120), () ->
                cluster.view(1).size() == 7 && !cluster.view(1).contains(cluster.seat(5).member()));
        assertThat(cluster.view(1).id().number()).as(String.join("\n", events)).isLessThanOrEqualTo(number + 2);
        cluster.assertSafe();
    }

    @Test
    void nodeThatIsHeardAndHearsNobodyIsRemovedAlone() {
        SimulatedCluster cluster = clusterOnDatagrams(6, 9).start().assertOneView(Duration.ofSeconds(2));
        cluster.advance(Duration.ofSeconds(2));
        for (int other = 1; other <= 6; other++) {
            if (other != 3) {
                cluster.network().cut(cluster.node(other), cluster.node(3));
            }
        }
        cluster.until("n3 removed", Duration.ofSeconds(30), () -> !cluster.view(1).contains(cluster.seat(3).member()));
        assertThat(cluster.view(1).size()).isEqualTo(5);
        cluster.heal().assertOneView(Duration.ofSeconds(10)).assertComesToRest(Duration.ofSeconds(5));
    }
}
