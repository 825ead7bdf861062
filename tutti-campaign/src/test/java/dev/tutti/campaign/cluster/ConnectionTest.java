package dev.tutti.campaign.cluster;

import static dev.tutti.campaign.cluster.SimulatedCluster.cluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.sim.Network;
import dev.tutti.sim.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that break, and sessions that go on over their successors. */
class ConnectionTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MERGE_MAX = Duration.ofSeconds(5);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void eachPairOfNodesHasOneConnection(long seed) {
        SimulatedCluster cluster = cluster(6, seed).start().assertOneView(SECOND).advance(SECOND);
        for (int number = 1; number <= 6; number++) {
            for (int other = number + 1; other <= 6; other++) {
                assertThat(cluster.network().connectionCount(cluster.node(number), cluster.node(other)))
                        .as("connections of n" + number + " and n" + other)
                        .isEqualTo(1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = Network.Notice.class, mode = EnumSource.Mode.EXCLUDE, names = "NOBODY")
    void brokenConnectionResumesInTheSameView(Network.Notice notice) {
        SimulatedCluster cluster = cluster(3).start().assertOneView(SECOND);
        var before = cluster.view(1).id();
        cluster.send(1, 50, 1_000).send(2, 50, 1_000).advanceFrames(20);
        cluster.breakConnections(1, 2, notice).assertComesToRest(SECOND);
        assertThat(cluster.view(1).id()).isEqualTo(before);
    }

    @Test
    void connectionOfWhichNobodyNoticesThatItIsDeadIsReplaced() {
        SimulatedCluster cluster = cluster(3).start().assertOneView(SECOND);
        cluster.send(1, 50, 1_000).send(2, 50, 1_000).advanceFrames(20);
        cluster.breakConnections(1, 2, Network.Notice.NOBODY).advance(Duration.ofSeconds(12));
        cluster.assertOneView(MERGE_MAX).assertComesToRest(SECOND);
    }

    @Test
    void connectionMayBreakAtAnyFrame() {
        for (int frames = 0; frames < 150; frames++) {
            SimulatedCluster cluster = cluster(3, frames).start().assertOneView(SECOND);
            var before = cluster.view(1).id();
            cluster.send(1, 10, 30_000).send(2, 10, 30_000).sendTo(1, 2, 10, 30_000).advanceFrames(frames);
            cluster.breakConnections(1, 2, Network.Notice.BOTH).assertComesToRest(Duration.ofSeconds(5));
            assertThat(cluster.view(1).id()).as("break after frame " + frames).isEqualTo(before);
        }
    }

    @Test
    void connectionMayBreakAtAnyFrameOfItsBeginning() {
        for (int frames = 0; frames < 60; frames++) {
            SimulatedCluster cluster = cluster(3, frames).start().advanceFrames(frames);
            cluster.breakConnections(1, 2, Network.Notice.BOTH).breakConnections(2, 3, Network.Notice.BOTH);
            cluster.assertOneView(Duration.ofSeconds(3)).assertComesToRest(SECOND);
        }
    }

    @Test
    void allConnectionsBreakAgainAndAgain() {
        SimulatedCluster cluster = cluster(4).start().assertOneView(SECOND);
        for (int round = 0; round < 15; round++) {
            cluster.send(1 + round % 4, 20, 2_000).advanceFrames(7 * round);
            for (int number = 1; number <= 4; number++) {
                for (int other = number + 1; other <= 4; other++) {
                    cluster.breakConnections(number, other, Network.Notice.values()[(round + number + other) % 3]);
                }
            }
            cluster.advanceMillis(40);
        }
        cluster.assertOneView(Duration.ofSeconds(8)).assertComesToRest(Duration.ofSeconds(5));
    }

    @Test
    void smallSocketBuffersSlowNothingDownToAStop() {
        SimulatedCluster cluster = cluster(4);
        cluster.network().setPath(Path.LOCAL.withBuffer(4_096));
        cluster.start().assertOneView(SECOND);
        for (int number = 1; number <= 4; number++) {
            cluster.send(number, 100, 20_000);
        }
        cluster.assertComesToRest(Duration.ofSeconds(5));
    }

    @Test
    void narrowLinkIsNoCrash() {
        SimulatedCluster cluster = cluster(3);
        cluster.network().setPath(cluster.node(1), cluster.node(3), Path.LOCAL.withCapacity(1_000_000));
        cluster.start().assertOneView(SECOND);
        var before = cluster.view(1).id();
        cluster.send(1, 100, 100_000).assertComesToRest(Duration.ofSeconds(30));
        assertThat(cluster.view(1).id()).isEqualTo(before);
    }
}
