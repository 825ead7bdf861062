package dev.tutti.campaign.cluster;

import static dev.tutti.campaign.cluster.SimulatedCluster.cluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.View;
import dev.tutti.protocols.node.GroupSettings;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups of which only a majority of the last primary view goes on. */
class PrimaryTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration SILENCE_MAX = Duration.ofSeconds(4);
    private static final Duration MERGE_MAX = Duration.ofSeconds(5);

    private static SimulatedCluster primary(int size, String... founders) {
        return cluster(size)
                .with(GroupSettings.PARTITION, GroupSettings.Partition.PRIMARY)
                .with(GroupSettings.FOUNDERS, List.of(founders));
    }

    private static String waitsFor(SimulatedCluster cluster, int number) {
        return cluster.seat(number).waitsFor();
    }

    @Test
    void foundersMakeTheFirstPrimaryViewAndOthersJoinIt() {
        SimulatedCluster cluster = primary(5, "n1", "n2", "n3").start().assertOneView(SECOND).assertComesToRest(SECOND);
        View view = cluster.view(1);
        assertThat(view.isPrimary()).isTrue();
        assertThat(view.epoch()).isPositive();
    }

    @Test
    void withoutAMajorityOfFoundersNobodyBegins() {
        SimulatedCluster cluster = primary(5, "n1", "n2", "n3").start(1, 4, 5).advance(SILENCE_MAX);
        assertThat(cluster.view(1).isPrimary()).isFalse();
        assertThat(waitsFor(cluster, 4)).contains("1 of 3 voters of the founders are here, 2 are needed; missing: n2, n3");
        cluster.start(2).assertOneView(MERGE_MAX).assertComesToRest(SECOND);
        assertThat(cluster.view(4).isPrimary()).isTrue();
    }

    @Test
    void oneFounderBeginsAlone() {
        SimulatedCluster cluster = primary(3, "n2").start(2).assertOneView(SECOND).advance(SECOND);
        assertThat(cluster.view(2).epoch()).isOne();
        cluster.start(1, 3).assertOneView(SECOND).assertComesToRest(SECOND);
    }

    @Test
    void majorityGoesOnAndMinorityStandsStillUntilTheHeal() {
        SimulatedCluster cluster = primary(5, "n1", "n2", "n3").start().assertOneView(SECOND);
        long epoch = cluster.view(1).epoch();
        View before = cluster.view(4);
        cluster.partition(1, 2, 3).assertOneViewOf(SILENCE_MAX, 1, 2, 3).advance(SECOND);
        assertThat(cluster.view(1).epoch()).isEqualTo(epoch + 1);
        cluster.send(1, 3, 100).send(4, 3, 100).advance(SECOND);
        assertThat(cluster.view(4)).isEqualTo(before);
        assertThat(waitsFor(cluster, 4)).contains("2 of 5 voters", "3 are needed");
        assertThat(cluster.seat(1).application.deliveredCount()).isEqualTo(3);
        assertThat(cluster.seat(5).application.deliveredCount()).isZero();
        cluster.heal().advance(MERGE_MAX).assertOneView(SECOND).assertComesToRest(SECOND);
        assertThat(cluster.view(4).epoch()).isGreaterThan(epoch + 1);
    }

    @Test
    void withoutAnyMajorityAllStandStillAndThenGoOn() {
        SimulatedCluster cluster = primary(4, "n1", "n2", "n3").start().assertOneView(SECOND);
        View before = cluster.view(1);
        cluster.partition(1, 2).advance(MERGE_MAX);
        assertThat(cluster.view(1)).isEqualTo(before);
        assertThat(cluster.view(3)).isEqualTo(before);
        cluster.heal().advance(MERGE_MAX).assertOneView(SECOND).assertComesToRest(SECOND);
        assertThat(cluster.view(1).epoch()).isEqualTo(before.epoch() + 1);
    }

    @Test
    void allComeBackFromTheirRecords() {
        SimulatedCluster cluster = primary(3, "n1", "n2", "n3").start().assertOneView(SECOND);
        long epoch = cluster.view(1).epoch();
        cluster.crash(1).crash(2).crash(3).advance(SECOND);
        cluster.start(3).advance(SECOND);
        assertThat(cluster.view(3).isPrimary()).as("one of three").isFalse();
        cluster.start(1, 2).assertOneView(SECOND).assertComesToRest(SECOND);
        assertThat(cluster.view(1).epoch()).isGreaterThan(epoch);
    }

    @Test
    void whoComesBackWithoutItsRecordIsANewVoter() {
        SimulatedCluster cluster = primary(3, "n1").start().assertOneView(SECOND);
        cluster.crash(2).crash(3);
        assertThat(cluster.outages().loseRecords(2)).isTrue();
        assertThat(cluster.outages().loseRecords(3)).isTrue();
        cluster.start(2, 3).advance(MERGE_MAX);
        assertThat(cluster.view(2).isPrimary()).as("one of the three votes is left").isFalse();
        assertThat(waitsFor(cluster, 1)).contains("1 of 3 voters");
        cluster.assertSafe();
    }

    @Test
    void membersThatLeaveOneByOneAreMissedByNobody() {
        SimulatedCluster cluster = primary(4, "n1", "n2", "n3").start().assertOneView(SECOND);
        for (int number = 1; number < 4; number++) {
            cluster.leave(number).assertOneView(SECOND).advanceMillis(100);
        }
        assertThat(cluster.view(4).size()).isOne();
        assertThat(cluster.view(4).isPrimary()).isTrue();
        cluster.joinAgain(1).assertOneView(SECOND).assertComesToRest(SECOND);
    }

    @Test
    void coordinatorThatLeavesDecidesOnTheViewWithoutIt() {
        SimulatedCluster cluster = primary(2, "n1", "n2").start().assertOneView(SECOND);
        int coordinator = cluster.coordinator(1);
        cluster.leave(coordinator).advance(SECOND).assertOneView(SECOND);
        int other = 3 - coordinator;
        assertThat(cluster.view(other).isPrimary()).isTrue();
        assertThat(cluster.view(other).size()).isOne();
    }

    @Test
    void memberThatIsCutOffCanLeave() {
        SimulatedCluster cluster = primary(3, "n1", "n2", "n3").start().assertOneView(SECOND);
        cluster.partition(1).advance(SILENCE_MAX).leave(1)
                .until("n1 has left", Duration.ofSeconds(8), () -> cluster.seat(1).application.isLeft())
                .assertSafe();
    }

    @Test
    void whoStaysGoesOnWhereverTwoOfThreeAreInLeaving() {
        for (int first = 1; first <= 3; first++) {
            for (int second = 1; second <= 3; second++) {
                for (int frames = 0; frames < 36 && first != second; frames++) {
                    SimulatedCluster cluster = founded(3, frames);
                    cluster.send(first, frames % 3, 100).leave(first);
                    pass(cluster, frames).leaveIfMember(second);
                    assertGoesOn(cluster, 1);
                }
            }
        }
    }

    @Test
    void whoStaysGoesOnWhenAllOthersLeaveAtOnce() {
        for (int size = 2; size <= 4; size++) {
            for (int staying = 1; staying <= size; staying++) {
                for (int frames = 0; frames < 30; frames++) {
                    SimulatedCluster cluster = founded(size, frames);
                    for (int number = 1; number <= size; number++) {
                        if (number != staying) {
                            pass(cluster.leaveIfMember(number), frames);
                        }
                    }
                    assertGoesOn(cluster, 1);
                }
            }
        }
    }

    @Test
    void allLeaveAtOnceWithoutWaitingForEachOther() {
        for (int size = 1; size <= 4; size++) {
            for (int frames = 0; frames < 16; frames++) {
                SimulatedCluster cluster = founded(size, frames);
                for (int number = 1; number <= size; number++) {
                    pass(cluster.leaveIfMember(number), frames);
                }
                cluster.until("all have left", SECOND, () -> cluster.present().isEmpty()).assertSafe();
            }
        }
    }

    /** A member that has left was told that it is not needed: the others have to go on without it in any case. */
    @Test
    void whoStaysMayRestartAtEachStepOfTheLeaveOfAllOthers() {
        for (int staying = 1; staying <= 3; staying++) {
            for (int frames = 0; frames < 36; frames++) {
                SimulatedCluster cluster = founded(3, frames);
                for (int number = 1; number <= 3; number++) {
                    if (number != staying) {
                        cluster.leave(number);
                    }
                }
                pass(cluster, frames).crash(staying).advanceMillis(20).restart(staying);
                assertGoesOn(cluster, 1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = GroupSettings.StackKind.class,
            names = {"FIFO", "UNRELIABLE"})
    void newcomerMayLeaveAtEachStepOfItsJoin(GroupSettings.StackKind stack) {
        for (int frames = 0; frames < 50; frames++) {
            SimulatedCluster cluster = cluster(2, frames)
                    .with(GroupSettings.PARTITION, GroupSettings.Partition.PRIMARY)
                    .with(GroupSettings.FOUNDERS, List.of("n1"))
                    .with(GroupSettings.STACK, stack);
            cluster.start(1).assertOneView(SECOND).advance(SECOND).start(2);
            pass(cluster, frames).leave(2);
            assertGoesOn(cluster, 1);
        }
    }

    private static SimulatedCluster founded(int size, long seed) {
        List<String> founders = IntStream.rangeClosed(1, Math.min(size, 3)).mapToObj(number -> "n" + number).toList();
        return cluster(size, seed)
                .with(GroupSettings.PARTITION, GroupSettings.Partition.PRIMARY)
                .with(GroupSettings.FOUNDERS, founders)
                .start()
                .assertOneView(SECOND)
                .advance(SECOND);
    }

    private static SimulatedCluster pass(SimulatedCluster cluster, int frames) {
        return frames == 0 ? cluster : cluster.advanceFrames(frames);
    }

    private static void assertGoesOn(SimulatedCluster cluster, int staying) {
        cluster.until("all others have left", SECOND, () -> cluster.present().size() == staying)
                .assertOneView(SECOND)
                .assertComesToRest(SECOND);
        assertThat(cluster.present()).allMatch(seat -> seat.view() != null && seat.view().isPrimary());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void crashOfAnyMemberMakesANewPrimaryViewInTime(int victim) {
        SimulatedCluster cluster = primary(3, "n1", "n2", "n3").start().assertOneView(SECOND);
        cluster.send(victim, 5, 100).advanceMillis(2).crash(victim).assertOneView(SECOND).assertComesToRest(SECOND);
    }

    /** Cuts the cluster at each step of a decision, into all possible two sides. */
    @Test
    void partitionAtEachStepOfADecisionLeavesOneChain() {
        for (int frames = 1; frames < 60; frames++) {
            for (int side = 1; side < 4; side++) {
                SimulatedCluster cluster = primary(4, "n1", "n2", "n3").start(1, 2, 3).assertOneView(SECOND).advance(SECOND);
                cluster.start(4).advanceFrames(frames).partition(side, 4).advance(SILENCE_MAX);
                cluster.heal().advance(MERGE_MAX).assertOneView(SECOND).assertComesToRest(SECOND);
            }
        }
    }
}
