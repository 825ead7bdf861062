package dev.tutti.campaign.cluster;

import static dev.tutti.campaign.cluster.SimulatedCluster.cluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.protocols.node.GroupSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Departures of members, voluntary or not. */
class DepartureTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Time from the end of a process to the view without it at all others. */
    private static final Duration CRASH_MAX = Duration.ofMillis(250);

    private static final Duration LEAVE_MAX = Duration.ofMillis(50);
    private static final Duration SILENCE_MAX = Duration.ofSeconds(4);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void crashOfAnyMemberMakesANewViewInTime(int victim) {
        cluster(4, victim).start().assertOneView(SECOND).send(victim, 5, 100).advanceMillis(2)
                .crash(victim).assertOneView(CRASH_MAX).assertComesToRest(SECOND);
    }

    @Test
    void crashOfTheCoordinatorMakesANewViewInTime() {
        SimulatedCluster cluster = cluster(8).start().assertOneView(SECOND);
        cluster.crash(cluster.coordinator(1)).assertOneView(CRASH_MAX).assertComesToRest(SECOND);
    }

    @Test
    void crashesOneAfterAnotherLeaveTheLastMemberAlone() {
        SimulatedCluster cluster = cluster(5).start().assertOneView(SECOND);
        for (int number = 1; number < 5; number++) {
            cluster.crash(number).advanceMillis(3);
        }
        cluster.assertOneView(CRASH_MAX).assertComesToRest(SECOND);
        assertThat(cluster.view(5).size()).isOne();
    }

    @Test
    void crashesAtOnceShareOneViewChange() {
        SimulatedCluster cluster = cluster(8).start().assertOneView(SECOND);
        long before = cluster.view(1).id().number();
        cluster.crash(5).crash(6).crash(7).crash(8).assertOneView(CRASH_MAX);
        assertThat(cluster.view(1).id().number() - before).isLessThanOrEqualTo(4);
        cluster.assertComesToRest(SECOND);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void leavingTakesNoTime(int leaver) {
        SimulatedCluster cluster = cluster(4, leaver).start().assertOneView(SECOND);
        cluster.leave(leaver);
        cluster.until("left, and a view without", LEAVE_MAX, () -> !cluster.isUp(leaver) && cluster.isOneView());
        assertThat(cluster.seat(leaver).application.isLeft()).isTrue();
        cluster.assertComesToRest(SECOND);
    }

    @Test
    void whatALeaverHasSentIsDelivered() {
        SimulatedCluster cluster = cluster(3).start().assertOneView(SECOND).send(2, 200, 1_000).advanceMillis(1).leave(2);
        cluster.until("n2 has left", SECOND, () -> cluster.seat(2).application.isLeft());
        cluster.assertComesToRest(SECOND);
        long sent = delivered(cluster, 2, 2);
        assertThat(delivered(cluster, 1, 2)).isEqualTo(sent);
        assertThat(delivered(cluster, 3, 2)).isEqualTo(sent);
    }

    /** The node goes on, and must release the memory that its member kept for others. */
    @Test
    void memberThatHasLeftKeepsNoMemory() {
        SimulatedCluster cluster = cluster(3).with(GroupSettings.STABLE_DELAY, Duration.ofSeconds(10)).start().assertOneView(SECOND);
        cluster.send(1, 20, 1_000).sendTo(2, 1, 20, 1_000).send(2, 20, 1_000).advanceMillis(1);
        assertThat(cluster.node(2).memory().outstandingBlocks()).isPositive();
        cluster.leave(2).until("n2 has left", SECOND, () -> cluster.seat(2).application.isLeft());
        // Links keep frames until a heartbeat confirms that they have arrived.
        cluster.assertOneView(SECOND).advance(Duration.ofSeconds(3));
        assertThat(cluster.node(2).memory().outstandingBlocks()).isZero();
    }

    @Test
    void everybodyLeavesAtOnce() {
        SimulatedCluster cluster = cluster(5).start().assertOneView(SECOND);
        for (int number = 1; number <= 5; number++) {
            cluster.send(number, 10, 100).leave(number);
        }
        cluster.until("all have left", Duration.ofSeconds(5), () -> cluster.present().isEmpty()).assertSafe();
    }

    @Test
    void stoppedNodesSayGoodbye() {
        SimulatedCluster cluster = cluster(4).start().assertOneView(SECOND);
        cluster.stop(1).advanceMillis(1).assertOneView(LEAVE_MAX).assertComesToRest(SECOND);
    }

    @Test
    void memberWithoutPowerIsLeftOutInTime() {
        cluster(4).start().assertOneView(SECOND).powerOff(2).assertOneView(SILENCE_MAX).assertComesToRest(SECOND);
    }

    @Test
    void coordinatorWithoutPowerIsLeftOutInTime() {
        SimulatedCluster cluster = cluster(4).start().assertOneView(SECOND);
        cluster.powerOff(cluster.coordinator(1)).assertOneView(SILENCE_MAX).assertComesToRest(SECOND);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void memberRestartsBeforeItsCrashIsNoticed(long seed) {
        SimulatedCluster cluster = cluster(3, seed);
        cluster.network().setEndDelayMax(Duration.ofSeconds(1));
        cluster.start().assertOneView(SECOND).send(1, 20, 500).send(2, 20, 500);
        cluster.crash(2).restart(2).assertOneView(Duration.ofSeconds(3)).assertComesToRest(SECOND);
    }

    @Test
    void memberWithoutPowerRestartsBeforeItIsMissed() {
        cluster(3).start().assertOneView(SECOND).send(2, 20, 500).powerOff(2).advanceMillis(5).restart(2)
                .assertOneView(Duration.ofSeconds(5)).assertComesToRest(SECOND);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 5, 20, 100, 500})
    void shortPauseChangesNothing(long millis) {
        SimulatedCluster cluster = cluster(3).start().assertOneView(SECOND);
        var before = cluster.view(1).id();
        cluster.send(1, 10, 1_000).send(2, 10, 1_000).pause(3).advanceMillis(millis).resume(3).assertComesToRest(SECOND);
        assertThat(cluster.view(1).id()).isEqualTo(before);
    }

    @Test
    void memberPausedForTenSecondsIsLeftOutAndComesBack() {
        SimulatedCluster cluster = cluster(4).start().assertOneView(SECOND).send(1, 50, 1_000).pause(3);
        cluster.assertOneView(SILENCE_MAX).send(2, 50, 1_000).advance(Duration.ofSeconds(8));
        cluster.resume(3).assertOneView(Duration.ofSeconds(5)).assertComesToRest(SECOND);
    }

    @Test
    void coordinatorPausedForTenSecondsIsLeftOutAndComesBack() {
        SimulatedCluster cluster = cluster(4).start().assertOneView(SECOND);
        int coordinator = cluster.coordinator(1);
        cluster.send(coordinator, 50, 1_000).pause(coordinator).assertOneView(SILENCE_MAX);
        cluster.advance(Duration.ofSeconds(8)).resume(coordinator);
        cluster.assertOneView(Duration.ofSeconds(5)).assertComesToRest(SECOND);
    }

    @Test
    void everybodyPausedAtOnceGoesOn() {
        SimulatedCluster cluster = cluster(4).start().assertOneView(SECOND).send(1, 50, 1_000);
        for (int number = 1; number <= 4; number++) {
            cluster.pause(number);
        }
        cluster.advance(Duration.ofSeconds(30));
        for (int number = 1; number <= 4; number++) {
            cluster.resume(number);
        }
        cluster.advanceMillis(50).assertOneView(Duration.ofSeconds(5)).assertComesToRest(SECOND);
    }

    @Test
    void slowMachineStaysAMember() {
        SimulatedCluster cluster = cluster(4);
        cluster.node(3).withTurn(20_000_000, 10_000);
        cluster.start().assertOneView(Duration.ofSeconds(3)).send(1, 100, 1_000).send(3, 100, 1_000);
        cluster.assertComesToRest(Duration.ofSeconds(5));
        assertThat(cluster.view(1).size()).isEqualTo(4);
    }

    @Test
    void churnStormEndsInOneView() {
        SimulatedCluster cluster = cluster(8).start().assertOneView(SECOND);
        for (int round = 0; round < 20; round++) {
            int number = 1 + round * 5 % 8;
            cluster.send(1 + (number + 1) % 8, 5, 200);
            switch (round % 3) {
                case 0 -> cluster.crash(number);
                case 1 -> cluster.stop(number);
                default -> cluster.powerOff(number);
            }
            cluster.advanceMillis(10 + round * 7).restart(number).advanceMillis(round * 11 % 60);
        }
        cluster.assertOneView(Duration.ofSeconds(8)).assertComesToRest(Duration.ofSeconds(2));
    }

    /** Returns the number of messages of {@code sender} that {@code receiver} has delivered. */
    private static long delivered(SimulatedCluster cluster, int receiver, int sender) {
        return cluster.seat(receiver).application.deliveredCount(cluster.seat(sender).member());
    }
}
