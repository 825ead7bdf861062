package dev.tutti.campaign.cluster;

import static dev.tutti.campaign.cluster.SimulatedCluster.clusterOnDatagrams;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.View;
import dev.tutti.sim.DatagramPath;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scenarios on datagrams in which a process ends, or seems to: the nodes watch each other's processes by connections of TCP. */
class ProcessWatchTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Time from a crash to the view without its node; by silence alone it is three seconds. */
    private static final Duration AT_ONCE = Duration.ofMillis(100);

    private static SimulatedCluster formed(int size, long seed) {
        return clusterOnDatagrams(size, seed).start().assertOneView(SECOND).advance(SECOND);
    }

    private static long count(SimulatedCluster cluster, int number, String name) {
        return DatagramPair.counters(cluster.node(number)).get(name);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8, 16})
    void crashIsNoticedAtOnce(int size) {
        SimulatedCluster cluster = formed(size, size).send(1, 100, 1_000).crash(2).assertOneView(AT_ONCE);
        assertThat(cluster.view(1).size()).isEqualTo(size - 1);
        cluster.assertComesToRest(SECOND);
    }

    @Test
    void crashOfTheCoordinatorIsNoticedAtOnce() {
        SimulatedCluster cluster = formed(4, 2);
        int coordinator = cluster.coordinator();
        cluster.crash(coordinator).assertOneView(AT_ONCE).assertComesToRest(SECOND);
    }

    @Test
    void crashesOfTwoNodesAreNoticedAtOnce() {
        formed(5, 3).crash(2).crash(4).assertOneView(AT_ONCE).assertComesToRest(SECOND);
    }

    @Test
    void crashIsNoticedAtOnceWhereDatagramsAreEncrypted() {
        clusterOnDatagrams(3, 4)
                .withSecurity()
                .start()
                .assertOneView(SECOND)
                .advance(SECOND)
                .crash(3)
                .assertOneView(AT_ONCE)
                .assertComesToRest(SECOND);
    }

    /** The time of a verification grows with the round trip, which takes longer than its constant part here. */
    @Test
    void crashIsNoticedSoonOnALongPath() {
        SimulatedCluster cluster = clusterOnDatagrams(3, 5);
        cluster.datagrams().setPath(DatagramPath.LOCAL.withLatency(Duration.ofMillis(80), Duration.ofMillis(5)));
        cluster.start().assertOneView(Duration.ofSeconds(5)).advance(SECOND).crash(1).assertOneView(SECOND).assertComesToRest(Duration.ofSeconds(2));
    }

    @Test
    void processThatIsStartedAgainAtOnceJoinsAsANewMember() {
        SimulatedCluster cluster = formed(3, 6).crash(2).restart(2).assertOneView(SECOND);
        assertThat(cluster.view(1).size()).isEqualTo(3);
        View view = cluster.view(1);
        cluster.advance(Duration.ofSeconds(5));
        assertThat(cluster.view(1)).isEqualTo(view);
        cluster.assertComesToRest(SECOND);
    }

    /** The report of the crash comes while the next process of the node joins, and must not be held against it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 20, 40, 55, 70, 200})
    void processThatIsStartedWhileItsCrashIsVerifiedJoinsAsANewMember(int millis) {
        SimulatedCluster cluster =
                formed(3, millis).crash(2).advance(Duration.ofMillis(millis)).restart(2).assertOneView(SECOND);
        assertThat(cluster.view(1).size()).isEqualTo(3);
        View view = cluster.view(1);
        cluster.advance(Duration.ofSeconds(5));
        assertThat(cluster.view(1)).isEqualTo(view);
        cluster.assertComesToRest(SECOND);
    }

    /** Nodes dial the dead process all the time; this must not keep its watch, whose retries become rare. */
    @Test
    void crashSoonAfterALongAbsenceIsNoticedAtOnce() {
        SimulatedCluster cluster = formed(3, 15).crash(2).assertOneView(AT_ONCE).advance(Duration.ofSeconds(70));
        cluster.restart(2).assertOneView(Duration.ofSeconds(5)).advance(SECOND).crash(2).assertOneView(AT_ONCE).assertComesToRest(SECOND);
    }

    @Test
    void pausedProcessStaysAMember() {
        SimulatedCluster cluster = formed(3, 7);
        View view = cluster.view(1);
        cluster.pause(2).advance(SECOND);
        cluster.datagrams().resetWatches(cluster.node(2));
        cluster.advance(Duration.ofMillis(500)).resume(2).advance(SECOND);
        assertThat(cluster.view(1)).isEqualTo(view);
        cluster.assertComesToRest(SECOND);
    }

    @Test
    void cutIsFoundBySilence() {
        SimulatedCluster cluster = formed(3, 8);
        View view = cluster.view(1);
        cluster.partition(3).advance(Duration.ofSeconds(2));
        assertThat(cluster.view(1)).isEqualTo(view);
        cluster.advance(Duration.ofSeconds(4));
        assertThat(cluster.view(1).size()).isEqualTo(2);
        assertThat(count(cluster, 1, "watch-reports")).isZero();
        cluster.heal().assertOneView(Duration.ofSeconds(5)).assertComesToRest(SECOND);
    }

    @Test
    void lossOfPowerIsFoundBySilence() {
        SimulatedCluster cluster = formed(3, 9);
        View view = cluster.view(1);
        cluster.powerOff(2).advance(Duration.ofSeconds(2));
        assertThat(cluster.view(1)).isEqualTo(view);
        cluster.assertOneView(Duration.ofSeconds(4)).assertComesToRest(SECOND);
    }

    @Test
    void strangerWhoResetsWatchesOfALivingProcessChangesNothing() {
        SimulatedCluster cluster = formed(3, 10).chatter(Duration.ofMillis(5));
        View view = cluster.view(1);
        for (int time = 0; time < 20; time++) {
            cluster.datagrams().resetWatches(cluster.node(2));
            cluster.advance(Duration.ofMillis(100));
        }
        assertThat(cluster.view(1)).isEqualTo(view);
        assertThat(count(cluster, 1, "watch-reports")).isZero();
        assertThat(cluster.datagrams().watchCount(cluster.node(1))).isEqualTo(2);
        cluster.assertComesToRest(SECOND);
    }

    /** As a firewall that begins to reject all connections of TCP: the processes answer over UDP, so that no member is lost. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void livingProcessWhoseConnectionsAreRefusedStaysAMember(boolean isSecure) {
        SimulatedCluster cluster = clusterOnDatagrams(4, 11);
        if (isSecure) {
            cluster.withSecurity();
        }
        cluster.start().assertOneView(SECOND).advance(SECOND).chatter(Duration.ofMillis(5));
        View view = cluster.view(1);
        cluster.datagrams().setWatchesRefused(true);
        for (int number = 1; number <= 4; number++) {
            cluster.datagrams().resetWatches(cluster.node(number));
        }
        cluster.advance(Duration.ofSeconds(10));
        assertThat(cluster.view(1)).isEqualTo(view);
        for (int number = 1; number <= 4; number++) {
            assertThat(count(cluster, number, "watch-reports")).as("reports at n" + number).isPositive();
            assertThat(count(cluster, number, "watch-refusals")).as("refusals at n" + number).isZero();
        }
        cluster.assertComesToRest(SECOND);
    }

    @Test
    void crashIsFoundBySilenceWhereOnlyDatagramsPass() {
        SimulatedCluster cluster = clusterOnDatagrams(3, 12);
        cluster.datagrams().setWatchable(false);
        cluster.start().assertOneView(SECOND).advance(SECOND);
        View view = cluster.view(1);
        cluster.crash(2).advance(Duration.ofSeconds(2));
        assertThat(cluster.view(1)).isEqualTo(view);
        cluster.assertOneView(Duration.ofSeconds(4)).assertComesToRest(SECOND);
    }

    /** A refusal says nothing of a process with which there never was a connection: it may have no port for watches. */
    @Test
    void refusalsFromTheBeginningSayNothing() {
        SimulatedCluster cluster = clusterOnDatagrams(3, 13);
        cluster.datagrams().setWatchesRefused(true);
        cluster.start().assertOneView(SECOND).advance(Duration.ofSeconds(10));
        assertThat(count(cluster, 1, "watched")).isEqualTo(2);
        assertThat(count(cluster, 1, "watch-reports")).isZero();
        cluster.assertComesToRest(SECOND);
    }

    @Test
    void watchesEndWithTheirConnections() {
        SimulatedCluster cluster = formed(3, 14).stop(2).assertOneView(SECOND).advance(Duration.ofSeconds(5));
        assertThat(count(cluster, 1, "watched")).isEqualTo(1);
        assertThat(cluster.datagrams().watchCount(cluster.node(1))).isEqualTo(1);
        cluster.assertComesToRest(SECOND);
    }
}
