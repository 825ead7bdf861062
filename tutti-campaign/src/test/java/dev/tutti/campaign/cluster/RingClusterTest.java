package dev.tutti.campaign.cluster;

import static dev.tutti.campaign.cluster.SimulatedCluster.cluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.GroupSettings.Dissemination;
import dev.tutti.protocols.node.GroupSettings.StackKind;
import dev.tutti.sim.Network;
import dev.tutti.sim.Path;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Multicasts that travel from member to member, in every order that a group can have. */
class RingClusterTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static SimulatedCluster ring(int size, long seed, StackKind stack) {
        return cluster(size, seed)
                .with(GroupSettings.STACK, stack)
                .with(GroupSettings.DISSEMINATION, Dissemination.RING)
                .with(GroupSettings.WINDOW, Size.kibibytes(128));
    }

    @ParameterizedTest
    @EnumSource(value = StackKind.class, names = {"FIFO", "CAUSAL", "TOTAL"})
    void everybodySendsMessagesOfAllLengths(StackKind stack) {
        SimulatedCluster cluster = ring(5, 1, stack).start().assertOneView(SECOND);
        for (int from = 1; from <= 5; from++) {
            cluster.send(from, 200, 100 * from).send(from, 1, 65_403).send(from, 1, 129_915).send(from, 1, 700_000).sendTo(from, 1, 20, 500);
        }
        cluster.assertComesToRest(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @EnumSource(value = StackKind.class, names = {"FIFO", "CAUSAL", "TOTAL"})
    void memberCrashesInTheMiddleOfTheRing(StackKind stack) {
        for (long seed = 1; seed <= 20; seed++) {
            SimulatedCluster cluster = ring(5, seed, stack);
            cluster.network().setPath(Path.LOCAL.withLatency(Duration.ofNanos(50_000), Duration.ofMillis(3)));
            cluster.start().assertOneView(SECOND);
            for (int burst = 0; burst < 5; burst++) {
                for (int from = 1; from <= 5; from++) {
                    cluster.send(from, 5, 3_000);
                }
                cluster.advance(Duration.ofNanos(700_000));
            }
            int crashed = 1 + (int) (seed % 5);
            cluster.crash(crashed).assertOneView(Duration.ofMillis(400)).assertComesToRest(SECOND);
        }
    }

    @ParameterizedTest
    @EnumSource(value = StackKind.class, names = {"FIFO", "CAUSAL", "TOTAL"})
    void connectionInTheRingBreaksAndResumes(StackKind stack) {
        SimulatedCluster cluster = ring(4, 3, stack).start().assertOneView(SECOND);
        for (int round = 0; round < 20; round++) {
            for (int from = 1; from <= 4; from++) {
                cluster.send(from, 5, 3_000);
            }
            cluster.advance(Duration.ofNanos(150_000));
            cluster.breakConnections(2, 3, Network.Notice.BOTH);
        }
        cluster.assertOneView(SECOND).assertComesToRest(Duration.ofSeconds(2));
        assertThat(cluster.seat(2).application.deliveredCount()).isGreaterThanOrEqualTo(400);
    }
}
