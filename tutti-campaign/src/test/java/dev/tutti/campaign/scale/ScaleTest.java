package dev.tutti.campaign.scale;

import static dev.tutti.campaign.cluster.SimulatedCluster.cluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.cluster.SimulatedCluster;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups of a hundred nodes and more. */
@Order(4)
class ScaleTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @ParameterizedTest
    @ValueSource(ints = {64, 128})
    void manyStartAtOnceAndSeeFewViews(int nodes) {
        var bootstrap = new ScaleScenarios(cluster(nodes, nodes)).bootstrap(Duration.ofSeconds(30));
        assertThat(bootstrap.sizes()).as("%s", bootstrap).hasSizeLessThanOrEqualTo(10);
        assertThat(bootstrap.connections()).as("of %s pairs", nodes * (nodes - 1) / 2)
                .isLessThan((long) nodes * (nodes - 1) * 3 / 4);
    }

    /** The first to suspect the crashed nodes is not excluded meanwhile: decision 0100. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void crashesAtOneInstantEndInOneViewOfTheOthers(long seed) {
        SimulatedCluster cluster = cluster(64, seed);
        var scenarios = new ScaleScenarios(cluster);
        scenarios.bootstrap(Duration.ofSeconds(30));
        cluster.advance(SECOND);
        var removal = scenarios.crashes(6, Duration.ofSeconds(10));
        assertThat(removal.views()).as("%s", removal).isEqualTo(1);
        assertThat(removal.spared()).as("%s", removal).isTrue();
        cluster.assertSafe();
    }

    @Test
    void whoIsNotHeardIsRemovedAlone() {
        SimulatedCluster cluster = cluster(64, 6);
        var scenarios = new ScaleScenarios(cluster);
        scenarios.bootstrap(Duration.ofSeconds(30));
        cluster.advance(SECOND);
        var removal = scenarios.silence(30, Duration.ofSeconds(20));
        assertThat(removal.views()).as("%s", removal).isLessThanOrEqualTo(2);
        assertThat(removal.spared()).isTrue();
        cluster.assertSafe();
    }

    @Test
    void aPartitionOfTenHealsWithNothingSkipped() {
        SimulatedCluster cluster = cluster(10, 7).start().assertOneView(SECOND);
        cluster.partition(1, 2, 3, 4).advance(Duration.ofSeconds(8));
        for (int number = 1; number <= 10; number++) {
            cluster.send(number, 20, 300);
        }
        cluster.advance(SECOND).heal().assertOneView(Duration.ofSeconds(5)).assertComesToRest(Duration.ofSeconds(2));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void thirtyTwoStartAtOnce(long seed) {
        cluster(32, seed).start().assertOneView(Duration.ofSeconds(5));
    }
}
