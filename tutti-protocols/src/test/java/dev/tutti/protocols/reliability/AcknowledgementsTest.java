package dev.tutti.protocols.reliability;

import static dev.tutti.protocols.LayerTest.member;
import static dev.tutti.protocols.reliability.ReliabilityScene.LIMITS;
import static dev.tutti.protocols.reliability.ReliabilityScene.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import org.junit.jupiter.api.Test;

/** Acknowledgements: their content, and when they are sent. */
class AcknowledgementsTest {

    private final ReliabilityScene three = ReliabilityScene.of(3);

    @Test
    void freesAndRaisesTheLimitOnlyForwards() {
        for (int number = 0; number < 5; number++) {
            three.send("m" + number);
        }
        three.ack(2, 5, WINDOW + 900, 0, WINDOW);
        three.ack(3, 4, WINDOW + 800, 0, WINDOW);
        three.layer.endTurn();
        assertThat(three.number("unstable-packets")).isEqualTo(1);
        three.ack(3, 2, WINDOW + 10, 0, WINDOW);
        three.layer.endTurn();
        assertThat(three.number("unstable-packets")).as("an old one changes nothing").isEqualTo(1);
        assertThat(three.number("n3.acknowledged")).isEqualTo(4);
    }

    @Test
    void ofMoreThanWasSentIsMalformed() {
        three.send("a");
        three.ack(2, 2, WINDOW, 0, WINDOW);
        three.ack(2, 0, WINDOW, 1, WINDOW);
        assertThat(three.layer.takeDropped()).containsExactly(DropReason.MALFORMED, DropReason.MALFORMED);
        assertThat(three.number("n2.acknowledged")).isZero();
    }

    @Test
    void ofAStrangerOrAnotherViewIsDropped() {
        three.ack(9, 0, WINDOW, 0, WINDOW);
        three.ack(2, new ViewId(2, 1, member(2)), 2, 0, WINDOW, 0, WINDOW);
        three.ack(2, three.view.id(), 1, 0, WINDOW, 0, WINDOW);
        assertThat(three.layer.takeDropped())
                .containsExactly(DropReason.OLD_VIEW, DropReason.OLD_VIEW, DropReason.OLD_VIEW);
    }

    @Test
    void isSentAtTurnEndForAQuarterOfTheWindow() {
        three.multicast(2, 1, "x".repeat(20_000));
        three.layer.endTurn();
        assertThat(three.sent()).isEmpty();
        three.multicast(2, 2, "x".repeat(20_000));
        three.layer.endTurn();
        assertThat(three.sent()).containsExactly("ACK 2 limit 131072 since 2 0 limit 131072 to n2");
    }

    @Test
    void isSentWhenAQuarterOfTheWindowIsConsumed() {
        three.multicast(2, 1, "x".repeat(16_384));
        three.multicast(2, 2, "x".repeat(16_384));
        three.layer.endTurn();
        three.forget();
        three.consumeAll();
        three.layer.endTurn();
        assertThat(three.sent()).containsExactly("ACK 2 limit 164096 since 2 0 limit 131072 to n2");
    }

    @Test
    void elseWaitsForItsTimer() {
        three.multicast(2, 1, "a");
        three.multicast(3, 1, "b");
        three.layer.endTurn();
        assertThat(three.layer.armedNanos(ReliabilityTimer.ACK)).isEqualTo(LIMITS.ackDelayNanos());
        three.layer.advance(LIMITS.ackDelayNanos());
        assertThat(three.sent()).hasSize(2).allMatch(text -> text.startsWith("ACK 1 "));
        three.layer.fire(ReliabilityTimer.ACK);
        assertThat(three.sent()).as("nothing new to say").isEmpty();
    }
}
