package dev.tutti.protocols.reliability;

import static dev.tutti.protocols.LayerTest.member;
import static dev.tutti.protocols.reliability.ReliabilityScene.LIMITS;
import static dev.tutti.protocols.reliability.ReliabilityScene.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.reliability.buffer.PacketRing;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Windows for multicasts and unicasts, within a view and across views. */
class SendWindowTest {

    private final ReliabilityScene three = ReliabilityScene.of(3);

    private long limit() {
        List<Signal.Flow.Window> windows = three.layer.takeRaised(Signal.Flow.Window.class);
        return windows.isEmpty() ? -1 : windows.getLast().limitBytes();
    }

    @Test
    void slowestMemberBoundsItAndIsNamed() {
        three.ack(2, 0, WINDOW + 500, 0, WINDOW);
        three.ack(3, 0, WINDOW + 200, 0, WINDOW);
        three.send("x");
        three.consumeAll();
        three.layer.endTurn();
        assertThat(three.layer.texts()).containsEntry("reliability.window-bounded-by", "n1");
        three.send("x".repeat(1_000));
        three.consumeAll();
        three.layer.endTurn();
        assertThat(limit()).isEqualTo(WINDOW + 200);
        assertThat(three.layer.texts()).containsEntry("reliability.window-bounded-by", "n3");
    }

    @Test
    void ownConsumptionBoundsItToo() {
        three.send("x".repeat(1_000));
        three.ack(2, 1, 2 * WINDOW, 0, WINDOW);
        three.ack(3, 1, 2 * WINDOW, 0, WINDOW);
        three.layer.endTurn();
        assertThat(three.layer.texts()).containsEntry("reliability.window-bounded-by", "n1");
        three.consumeAll();
        three.layer.endTurn();
        assertThat(limit()).isEqualTo(WINDOW + 1_000 + Charge.OVERHEAD_BYTES);
    }

    @Test
    void isSharedWithThoseWhoSendToo() {
        long charged = 1 + Charge.OVERHEAD_BYTES;
        three.layer.advance(1);
        three.send("x");
        three.consumeAll();
        three.layer.endTurn();
        long alone = three.number("window-open-bytes");
        three.multicast(2, 1, "y");
        long unacknowledged = openAfterAcknowledgement(0, WINDOW);
        long acknowledged = openAfterAcknowledgement(1, WINDOW + charged);
        three.layer.advance(SharedWindow.ACTIVE_NANOS);
        long aloneAgain = openAfterAcknowledgement(1, WINDOW + charged);
        assertThat(alone).as("nobody else sends").isEqualTo(WINDOW - charged);
        assertThat(unacknowledged).as("two share one and a half windows").isEqualTo(WINDOW * 3 / 4 - charged);
        assertThat(acknowledged).as("both have it: one packet, whatever its length").isEqualTo(Packet.FRAME_MAX + Charge.OVERHEAD_BYTES);
        assertThat(aloneAgain).as("the other is silent").isEqualTo(WINDOW);
    }

    private long openAfterAcknowledgement(long received, long limit) {
        three.ack(2, received, limit, 0, WINDOW);
        three.ack(3, received, limit, 0, WINDOW);
        three.layer.endTurn();
        return three.number("window-open-bytes");
    }

    @Test
    void isAcknowledgedByTheShare() {
        three.layer.advance(1);
        three.multicast(2, 1, "x".repeat(20_000));
        three.consumeAll();
        three.layer.endTurn();
        assertThat(three.sent()).as("of two members that may send 96 KiB each, a quarter").isEmpty();
        three.multicast(3, 1, "y");
        three.multicast(2, 2, "x");
        three.consumeAll();
        three.layer.endTurn();
        assertThat(three.sent()).as("of three, 64 KiB each").hasSize(1).allMatch(text -> text.startsWith("ACK 2 "));
    }

    @Test
    void isNeverSharedByMoreThanEightNorToLessThanAPacket() {
        PacketRing none = new PacketRing();
        assertThat(new SharedWindow(1 << 20).limitBytes(7, none, 100)).isEqualTo(7 + (3 << 16));
        assertThat(new SharedWindow(WINDOW).limitBytes(0, none, 100)).isEqualTo(Packet.FRAME_MAX + Charge.OVERHEAD_BYTES);
    }

    @Test
    void reopensWhenTheSlowestMemberIsGone() {
        for (int number = 0; number < 4; number++) {
            three.send("x".repeat(32_000));
        }
        three.consumeAll();
        three.ack(2, 4, 2 * WINDOW, 0, WINDOW);
        three.layer.endTurn();
        three.layer.raised.clear();
        three.freeze();
        three.install(three.next(List.of(member(1), member(2))));
        assertThat(limit()).isEqualTo(WINDOW + 4 * (32_000 + Charge.OVERHEAD_BYTES));
        assertThat(three.layer.texts()).containsEntry("reliability.window-bounded-by", "n1");
    }

    private View withFour() {
        return three.next(List.of(member(1), member(2), member(3), member(4)), member(4));
    }

    private View withFourFromElsewhere() {
        return three.nextWith(List.of(member(1), member(2), member(3), member(4)), member(4));
    }

    @Test
    void aNewcomerHasAWholeWindow() {
        three.send("x".repeat(1_000));
        three.ack(2, 1, 2 * WINDOW, 0, WINDOW);
        three.ack(3, 1, 2 * WINDOW, 0, WINDOW);
        three.consumeAll();
        three.send("x".repeat(3_000));
        three.consumeAll();
        three.install(withFour());
        assertThat(limit()).as("counted from when the two came together")
                .isEqualTo(WINDOW + 4_000 + 2 * Charge.OVERHEAD_BYTES);
        assertThat(three.layer.takeRaised(Signal.Flow.Window.class))
                .as("nor is its own window closed")
                .noneMatch(window -> member(4).equals(window.receiver()));
    }

    @Test
    void whoComesFromAnotherViewOpensItWithItsFirstAcknowledgement() {
        three.send("x".repeat(1_000));
        three.consumeAll();
        long sent = 1_000 + Charge.OVERHEAD_BYTES;
        three.install(withFourFromElsewhere());
        assertThat(three.layer.raised).contains(new Signal.Flow.Window(member(4), 0, member(4)));
        assertThat(limit()).as("closed").isEqualTo(sent);
        assertThat(three.layer.texts()).containsEntry("reliability.window-bounded-by", "n4");
        three.ack(4, three.view.id(), 3, 0, WINDOW, 0, WINDOW);
        three.layer.endTurn();
        assertThat(limit()).isEqualTo(WINDOW);
    }

    @Test
    void aNewcomerIsNotToldWhatItKnows() {
        three.install(withFour());
        three.layer.endTurn();
        three.layer.advance(LIMITS.ackDelayNanos());
        assertThat(three.sent()).isEmpty();
    }

    @Test
    void whoComesFromAnotherViewIsToldItsLimitAtOnce() {
        three.install(withFourFromElsewhere());
        three.layer.endTurn();
        assertThat(three.sent()).containsExactly("ACK 0 limit 131072 since 3 0 limit 131072 to n4");
    }

    @Test
    void whatWasAcknowledgedInAViewIsSaidAgainInTheNext() {
        three.unicast(2, 2, 1, "a");
        three.layer.endTurn();
        three.layer.advance(LIMITS.ackDelayNanos());
        assertThat(three.sent()).containsExactly("ACK 0 limit 131072 since 2 1 limit 131072 to n2");
        three.install(three.next(three.view.members()));
        three.layer.endTurn();
        assertThat(three.sent())
                .as("it may have come when n2 was in this view already")
                .containsExactly("ACK 0 limit 131072 since 2 1 limit 131072 to n2");
    }

    @Test
    void backlogOfAStuckConsumerGoesOnOverViewChanges() {
        for (int change = 0; change < 20; change++) {
            three.multicast(2, 1, "x".repeat(5_000));
            three.layer.endTurn();
            three.layer.advance(LIMITS.ackDelayNanos());
            three.install(three.next(three.view.members()));
        }
        three.forget();
        three.layer.endTurn();
        assertThat(three.number("n2.backlog-bytes")).isEqualTo(20 * (5_000 + Charge.OVERHEAD_BYTES));
        assertThat(three.sent())
                .as("the limit has not moved")
                .contains("ACK 0 limit 131072 since 2 0 limit 131072 to n2");
    }

    @Test
    void backlogOfAStuckConsumerGoesOnOverSplitsAndMerges() {
        // A member that comes back from another view gets the rest of the window, not a new one each time.
        for (int change = 0; change < 5; change++) {
            three.multicast(2, 1, "x".repeat(20_000));
            three.unicast(2, three.view.id().number() == 2 ? 2 : three.view.id().number(), 1, "y".repeat(10_000));
            three.install(three.next(List.of(member(1), member(3))));
            three.install(three.nextWith(List.of(member(1), member(2), member(3)), member(2)));
        }
        three.forget();
        three.layer.endTurn();
        long left = WINDOW - 5 * (20_000 + Charge.OVERHEAD_BYTES);
        long unicastLeft = WINDOW - 5 * (10_000 + Charge.OVERHEAD_BYTES);
        three.layer.fire(ReliabilityTimer.ACK);
        assertThat(three.delivered()).hasSize(10);
        three.layer.signalUp(new Signal.Peer.Opened(member(2), 1));
        three.layer.endTurn();
        assertThat(three.sent())
                .contains("ACK 0 limit " + left + " since 12 0 limit " + unicastLeft + " to n2");
        three.consumeAll();
        three.layer.endTurn();
        assertThat(three.sent()).contains("ACK 0 limit 131072 since 12 0 limit 131072 to n2");
    }
}
