package dev.tutti.campaign.cluster;

import static dev.tutti.campaign.cluster.SimulatedCluster.cluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.GroupSettings.StackKind;
import dev.tutti.protocols.packing.Records;
import dev.tutti.sim.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages arrive, however slow or short-lived their receivers are. */
class DeliveryTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Size WINDOW = Size.kibibytes(128);

    /** Memory of a node of three with such windows: its messages, copies of others' messages, submissions, frames. */
    private static final long BYTES_MAX = 3L * 1024 * 1024;

    @ParameterizedTest
    @ValueSource(ints = {40, 1_000, 65_000, 65_404, 65_405, 65_408, 70_000, 129_915, 129_916, 1_000_000, 10_000_000})
    void messagesOfAnyLengthArrive(int length) {
        SimulatedCluster cluster = cluster(3).with(GroupSettings.WINDOW, WINDOW).start().assertOneView(SECOND);
        cluster.send(1, 3, length).send(2, 2, length).sendTo(3, 1, 2, length).sendTo(3, 3, 1, length);
        cluster.assertComesToRest(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @EnumSource(value = StackKind.class, names = {"FIFO", "CAUSAL", "TOTAL"})
    void whatFillsAPacketFitsIntoTheSmallestWindow(StackKind stack) {
        SimulatedCluster cluster = cluster(3).with(GroupSettings.STACK, stack).with(GroupSettings.WINDOW, WINDOW);
        cluster.start().assertOneView(SECOND);
        for (int from = 1; from <= 3; from++) {
            cluster.send(from, 5, Records.WHOLE_MAX).send(from, 3, 100).sendTo(from, 1, 2, Records.WHOLE_MAX);
        }
        cluster.assertComesToRest(Duration.ofSeconds(10));
    }

    @Test
    void everybodySendsToEverybody() {
        SimulatedCluster cluster = cluster(6).start().assertOneView(SECOND);
        for (int from = 1; from <= 6; from++) {
            cluster.send(from, 300, 100 * from);
            for (int to = 1; to <= 6; to++) {
                cluster.sendTo(from, to, 50, 200);
            }
        }
        cluster.assertComesToRest(Duration.ofSeconds(3));
    }

    @Test
    void slowConsumerLosesNothingAndBlocksTheSender() {
        SimulatedCluster cluster = bounded().start().assertOneView(SECOND);
        cluster.seat(3).application.setPace(Duration.ofMillis(20));
        cluster.send(1, 4_000, 1_000).advance(SECOND);
        assertThat(cluster.seat(1).ordersWaiting()).as("orders that wait while n3 is slow").isPositive();
        assertThat(cluster.seat(1).waitsFor()).contains("n3");
        cluster.until("all sent", Duration.ofMinutes(3), () -> cluster.seat(1).ordersWaiting() == 0);
        cluster.assertComesToRest(Duration.ofMinutes(1));
    }

    @Test
    void stuckConsumerHoldsTheSenderUntilItGoesOn() {
        SimulatedCluster cluster = bounded().start().assertOneView(SECOND);
        cluster.seat(2).application.stick();
        cluster.send(1, 2_000, 1_000).advance(Duration.ofSeconds(20));
        assertThat(cluster.seat(1).ordersWaiting()).isPositive();
        assertThat(cluster.view(1).size()).as("a slow application is no crash").isEqualTo(3);
        cluster.seat(2).application.release();
        cluster.assertComesToRest(SECOND);
    }

    @Test
    void senderThatIsItsOwnSlowestReceiverWaitsForItself() {
        SimulatedCluster cluster = bounded().start().assertOneView(SECOND);
        cluster.seat(1).application.stick();
        cluster.send(1, 2_000, 1_000).advance(SECOND);
        assertThat(cluster.seat(1).ordersWaiting()).isPositive();
        cluster.seat(1).application.release();
        cluster.assertComesToRest(SECOND);
    }

    @Test
    void crashOfTheSlowestReleasesTheSenderAtOnce() {
        SimulatedCluster cluster = bounded().start().assertOneView(SECOND);
        cluster.seat(3).application.stick();
        cluster.send(1, 2_000, 1_000).advance(SECOND);
        assertThat(cluster.seat(1).ordersWaiting()).isPositive();
        cluster.crash(3).assertOneView(Duration.ofMillis(250));
        cluster.until("sender released", Duration.ofMillis(100), () -> cluster.seat(1).ordersWaiting() == 0);
        cluster.assertComesToRest(SECOND);
    }

    @Test
    void unicastToAStuckReceiverDoesNotHoldMulticastsToOthersFromGoingOn() {
        SimulatedCluster cluster = bounded().start().assertOneView(SECOND);
        cluster.seat(2).application.stick();
        cluster.sendTo(1, 2, 100, 1_000).sendTo(1, 3, 100, 1_000).send(1, 20, 1_000).advance(SECOND);
        assertThat(cluster.seat(3).application.deliveredCount()).isGreaterThanOrEqualTo(120);
        cluster.seat(2).application.release();
        cluster.assertComesToRest(SECOND);
    }

    @Test
    void largeMessageUnderWayInAViewChangeArrivesWhole() {
        SimulatedCluster cluster = cluster(4).with(GroupSettings.WINDOW, WINDOW);
        cluster.start(1, 2, 3).assertOneView(SECOND);
        cluster.send(1, 3, 3_000_000).sendTo(1, 2, 1, 2_000_000).advanceMillis(2);
        cluster.start(4).assertOneView(SECOND).crash(3).assertComesToRest(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void whatACrashedSenderReachedSomeSurvivorsWithReachesAll(long seed) {
        SimulatedCluster cluster = cluster(4, seed);
        cluster.network().setPath(Path.LOCAL.withLatency(Duration.ofNanos(50_000), Duration.ofMillis(3)));
        cluster.start().assertOneView(SECOND);
        for (int burst = 0; burst < 5; burst++) {
            cluster.send(2, 10, 1_000).advanceMillis(1);
        }
        cluster.crash(2).assertOneView(Duration.ofMillis(250)).assertComesToRest(SECOND);
    }

    @Test
    void stuckReceiverLeavesWithWhatItHolds() {
        SimulatedCluster cluster = bounded().start().assertOneView(SECOND);
        cluster.seat(3).application.stick();
        cluster.send(1, 500, 1_000).advanceMillis(100).leave(3).assertOneView(Duration.ofSeconds(3));
        cluster.seat(3).application.release();
        cluster.assertComesToRest(SECOND);
    }

    private static SimulatedCluster bounded() {
        SimulatedCluster cluster = cluster(3).with(GroupSettings.WINDOW, WINDOW);
        for (int number = 1; number <= 3; number++) {
            cluster.node(number).withMemory(BYTES_MAX);
        }
        return cluster;
    }
}
