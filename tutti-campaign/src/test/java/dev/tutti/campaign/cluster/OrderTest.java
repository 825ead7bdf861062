package dev.tutti.campaign.cluster;

import static dev.tutti.campaign.cluster.SimulatedCluster.cluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.GroupSettings.StackKind;
import dev.tutti.protocols.node.GroupSettings.TotalBy;
import dev.tutti.protocols.node.GroupSettings.TotalDelivery;
import dev.tutti.sim.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages arrive in the group's order, whatever faults its members have; the checker sees each delivery. */
class OrderTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    static List<Arguments> orders() {
        return List.of(
                Arguments.of(StackKind.CAUSAL, TotalBy.SEQUENCER, TotalDelivery.AGREED),
                Arguments.of(StackKind.TOTAL, TotalBy.SEQUENCER, TotalDelivery.AGREED),
                Arguments.of(StackKind.TOTAL, TotalBy.SEQUENCER, TotalDelivery.SAFE),
                Arguments.of(StackKind.TOTAL, TotalBy.ROTATION, TotalDelivery.AGREED),
                Arguments.of(StackKind.TOTAL, TotalBy.ROTATION, TotalDelivery.SAFE));
    }

    private static SimulatedCluster group(int size, long seed, StackKind stack, TotalBy by, TotalDelivery delivery) {
        return cluster(size, seed)
                .with(GroupSettings.STACK, stack)
                .with(GroupSettings.TOTAL_BY, by)
                .with(GroupSettings.TOTAL_DELIVERY, delivery)
                .with(GroupSettings.WINDOW, Size.kibibytes(128));
    }

    @ParameterizedTest
    @MethodSource("orders")
    void everybodySendsMessagesOfAllLengths(StackKind stack, TotalBy by, TotalDelivery delivery) {
        SimulatedCluster cluster = group(5, 1, stack, by, delivery).start().assertOneView(SECOND);
        for (int from = 1; from <= 5; from++) {
            cluster.send(from, 200, 100 * from).send(from, 1, 65_403).send(from, 1, 129_915).send(from, 1, 700_000).sendTo(from, 1, 20, 500);
        }
        cluster.assertComesToRest(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @MethodSource("orders")
    void oneSenderIsNotHeldUpByThoseWhoSayNothing(StackKind stack, TotalBy by, TotalDelivery delivery) {
        for (int sender : List.of(1, 4)) {
            SimulatedCluster cluster = group(4, 2, stack, by, delivery).start().assertOneView(SECOND);
            cluster.send(sender, 1, 100);
            cluster.until("delivered", Duration.ofMillis(2), () -> cluster.seat(2).application.deliveredCount() == 1);
            cluster.assertComesToRest(SECOND);
        }
    }

    @ParameterizedTest
    @MethodSource("orders")
    void oldestMemberCrashesWhileEverybodySends(StackKind stack, TotalBy by, TotalDelivery delivery) {
        for (long seed = 1; seed <= 20; seed++) {
            SimulatedCluster cluster = group(5, seed, stack, by, delivery);
            cluster.network().setPath(Path.LOCAL.withLatency(Duration.ofNanos(50_000), Duration.ofMillis(3)));
            cluster.start().assertOneView(SECOND);
            for (int burst = 0; burst < 5; burst++) {
                for (int from = 1; from <= 5; from++) {
                    cluster.send(from, 5, 3_000);
                }
                cluster.advance(Duration.ofNanos(700_000));
            }
            cluster.crash(1).assertOneView(Duration.ofMillis(400)).assertComesToRest(SECOND);
        }
    }

    @ParameterizedTest
    @MethodSource("orders")
    void twoCrashWhileEverybodySendsAndOneComesBack(StackKind stack, TotalBy by, TotalDelivery delivery) {
        for (long seed = 1; seed <= 10; seed++) {
            SimulatedCluster cluster = group(5, seed, stack, by, delivery);
            cluster.network().setPath(Path.LOCAL.withLatency(Duration.ofNanos(50_000), Duration.ofMillis(3)));
            cluster.start().assertOneView(SECOND);
            for (int burst = 0; burst < 5; burst++) {
                for (int from = 1; from <= 5; from++) {
                    cluster.send(from, 5, 3_000);
                }
                cluster.advance(Duration.ofNanos(500_000));
            }
            cluster.crash(1).advanceMillis(seed).crash(2).send(3, 50, 1_000).start(1);
            cluster.assertComesToRest(Duration.ofSeconds(5));
        }
    }

    @ParameterizedTest
    @MethodSource("orders")
    void stuckConsumerHoldsSendersUntilItGoesOn(StackKind stack, TotalBy by, TotalDelivery delivery) {
        SimulatedCluster cluster = group(3, 1, stack, by, delivery).start().assertOneView(SECOND);
        cluster.seat(3).application.stick();
        for (int from = 1; from <= 3; from++) {
            cluster.send(from, 2_000, 1_000);
        }
        cluster.advance(Duration.ofSeconds(20));
        assertThat(cluster.seat(1).ordersWaiting()).isPositive();
        cluster.seat(3).application.release();
        cluster.assertComesToRest(Duration.ofSeconds(2));
    }

    @ParameterizedTest
    @MethodSource("orders")
    void leavingUnderLoadTakesNoLongerThanOthersAcknowledge(StackKind stack, TotalBy by, TotalDelivery delivery) {
        SimulatedCluster cluster = group(4, 1, stack, by, delivery).start().assertOneView(SECOND);
        for (int from = 1; from <= 4; from++) {
            cluster.send(from, 1_000, 1_000);
        }
        cluster.advanceMillis(1).leave(1).until("the view without it", Duration.ofMillis(500), () ->
                cluster.view(2).size() == 3 && cluster.view(3).size() == 3 && cluster.view(4).size() == 3);
        cluster.assertComesToRest(SECOND);
    }
}
