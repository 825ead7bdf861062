package dev.tutti.campaign.cluster;

import static dev.tutti.campaign.cluster.SimulatedCluster.clusterOnDatagrams;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.sim.DatagramNetwork;
import dev.tutti.sim.DatagramPath;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scenarios in which a multicast is sent as one datagram, and gets lost on the way to some receivers. */
class MulticastClusterTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final String NACKS = "groups.story.reliability.nacks-sent";

    private static SimulatedCluster multicasting(int size, long seed, double loss, double multicastLoss) {
        SimulatedCluster cluster = clusterOnDatagrams(size, seed).withMulticast();
        cluster.datagrams().setPath(DatagramPath.LOCAL
                .withLatency(Duration.ofNanos(50_000), Duration.ofNanos(200_000))
                .withLoss(loss)
                .withMulticastLoss(multicastLoss)
                .withDuplication(loss / 2)
                .withDamage(loss / 10, loss / 10));
        return cluster.start().assertOneView(Duration.ofSeconds(10)).advance(Duration.ofMillis(600));
    }

    @Test
    void whatIsSentToAllLeavesOnce() {
        SimulatedCluster cluster = multicasting(4, 1, 0, 0);
        long before = cluster.datagrams().bytes(DatagramNetwork.Fate.SENT);
        cluster.send(1, 1_000, 1_000).assertComesToRest(SECOND);
        assertThat(cluster.datagrams().bytes(DatagramNetwork.Fate.MULTICAST)).isGreaterThan(1_000_000);
        // Only acknowledgements, not the content three times.
        assertThat(cluster.datagrams().bytes(DatagramNetwork.Fate.SENT) - before).isLessThan(1_000_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 30, 60})
    void lostMulticastsAreAskedForAndRepeated(int percent) {
        SimulatedCluster cluster = multicasting(4, 2, 0, percent / 100.0);
        for (int number = 1; number <= 4; number++) {
            cluster.send(number, 500, 900);
        }
        cluster.assertComesToRest(Duration.ofSeconds(10));
        assertThat(cluster.counters().get(NACKS)).isPositive();
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 30})
    void everythingMayGetLost(int percent) {
        SimulatedCluster cluster = multicasting(5, 3, percent / 100.0, percent / 100.0);
        for (int number = 1; number <= 5; number++) {
            cluster.send(number, 300, 900).sendTo(number, number % 5 + 1, 20, 3_000).send(number, 1, 100_000);
        }
        cluster.assertComesToRest(Duration.ofSeconds(20));
    }

    @Test
    void nodesWithoutSeedsMeetByTheirMulticasts() {
        clusterOnDatagrams(5, 11).withMulticast().withSeeds(0).start().assertOneView(Duration.ofMillis(1_500));
    }

    @ParameterizedTest
    @ValueSource(longs = {12, 13, 14})
    void partsOfAPartitionMeetAsSoonAsTheyHearEachOther(long seed) {
        SimulatedCluster cluster = clusterOnDatagrams(4, seed).with("discovery.pause-max", "10 min").withMulticast();
        cluster.start().assertOneView(SECOND);
        // Pauses double: after a quarter of an hour the next dial is minutes away.
        cluster.partition(1, 2).advance(Duration.ofMinutes(15));
        cluster.heal().assertOneView(Duration.ofMillis(1_500));
    }

    @Test
    void lastPacketIsMissedWithoutALaterOne() {
        SimulatedCluster cluster = multicasting(3, 4, 0, 0);
        cluster.datagrams().setFilter((from, to, datagram) -> datagram[4] != 6 || to != cluster.node(3));
        cluster.send(1, 1, 100).advanceMillis(1);
        cluster.datagrams().setFilter(null);
        cluster.until("the last one at n3", Duration.ofMillis(50), () -> cluster.seat(3).application.deliveredCount() == 1);
        cluster.assertComesToRest(SECOND);
    }

    @Test
    void whoDoesNotHearMulticastsGetsThemByConnection() {
        SimulatedCluster cluster = clusterOnDatagrams(4, 5).withMulticast();
        cluster.datagrams().setFilter((from, to, datagram) -> datagram[4] != 6 || to != cluster.node(4));
        cluster.start().assertOneView(SECOND).advance(Duration.ofMillis(600));
        cluster.send(1, 500, 900).assertComesToRest(SECOND);
        assertThat(cluster.datagrams().count(DatagramNetwork.Fate.MULTICAST)).isGreaterThan(300);
        assertThat(cluster.counters().get(NACKS)).isZero();
    }

    @Test
    void multicastThatStopsBeingCarriedIsReplaced() {
        SimulatedCluster cluster = multicasting(3, 6, 0, 0);
        cluster.send(1, 50, 900).advanceMillis(50);
        cluster.datagrams().setFilter((from, to, datagram) -> datagram[4] != 6);
        cluster.send(1, 50, 900).advance(Duration.ofSeconds(10));
        long multicasts = cluster.datagrams().count(DatagramNetwork.Fate.MULTICAST);
        cluster.send(1, 300, 900).assertComesToRest(SECOND);
        assertThat(cluster.datagrams().count(DatagramNetwork.Fate.MULTICAST) - multicasts).isLessThan(30);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 20})
    void partitionHealsIntoOneView(int percent) {
        SimulatedCluster cluster = multicasting(5, 7, percent / 200.0, percent / 100.0);
        cluster.chatter(Duration.ofMillis(10)).partition(1, 2).advance(Duration.ofSeconds(10));
        assertThat(cluster.view(1).size()).isEqualTo(2);
        cluster.heal().assertOneView(Duration.ofSeconds(10)).assertComesToRest(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void senderCrashesWithMulticastsUnderWay(long seed) {
        SimulatedCluster cluster = multicasting(4, seed, 0.05, 0.3);
        cluster.send(1, 400, 900).send(2, 400, 900).advanceFrames(20 * seed).crash(1);
        cluster.assertOneView(Duration.ofSeconds(10)).assertComesToRest(Duration.ofSeconds(10));
        assertThat(cluster.view(2).size()).isEqualTo(3);
    }

    /** Several senders share the receive buffer of a node. */
    @ParameterizedTest
    @ValueSource(ints = {4, 8})
    void everybodySendsToEverybodyThroughSmallReceiveBuffers(int size) {
        SimulatedCluster cluster = clusterOnDatagrams(size, 8).withMulticast();
        cluster.datagrams().setReceiveBuffer(64 * 1024);
        for (int number = 1; number <= size; number++) {
            cluster.node(number).withTurn(500_000, 5_000);
        }
        cluster.start().assertOneView(Duration.ofSeconds(5)).advance(Duration.ofSeconds(1));
        for (int number = 1; number <= size; number++) {
            cluster.send(number, 1_000, 1_000);
        }
        long began = cluster.simulation().nowNanos();
        long full = cluster.datagrams().bytes(DatagramNetwork.Fate.RECEIVER_FULL);
        cluster.until("all delivered", Duration.ofSeconds(60), () -> cluster.present().stream()
                .allMatch(seat -> seat.application.deliveredCount() >= 1_000L * size));
        System.out.printf("%d to %d: %.2f MB/s each, %.1f %% overflown, %s%n", size, size,
                size * 1_000_000e3 / (cluster.simulation().nowNanos() - began),
                100.0 * (cluster.datagrams().bytes(DatagramNetwork.Fate.RECEIVER_FULL) - full)
                        / (size * (size - 1) * 1_000_000.0), cluster.counters().get(NACKS));
        cluster.assertComesToRest(Duration.ofSeconds(5));
    }
}
