package dev.tutti.protocols.order;

import static dev.tutti.protocols.LayerTest.member;
import static dev.tutti.protocols.order.OrderScene.UNICAST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SequencerTest {

    private static final long PACKETS_MAX = 1_024;

    private final OrderScene agreed = scene(false);
    private final OrderScene safe = scene(true);

    private static OrderScene scene(boolean isSafe) {
        return new OrderScene(3, self -> new Sequencer(self, PACKETS_MAX, isSafe));
    }

    @Test
    void everybodyDeliversInTheOrderOfTheSequencer() {
        agreed.seat(2).send("b");
        agreed.seat(3).send("c");
        agreed.pass(2, 3);
        agreed.pass(3, 2);
        assertThat(agreed.seat(2).delivered()).as("nobody knows the order yet").isEmpty();
        agreed.pass(3, 1);
        agreed.pass(2, 1);
        agreed.passAll();
        for (OrderScene.Seat seat : agreed.seats) {
            assertThat(seat.delivered()).containsExactly("c", "b");
        }
    }

    @Test
    void oneWordIsEnoughForWhatATurnBrings() {
        for (int index = 0; index < 10; index++) {
            agreed.seat(2).send("b" + index);
            agreed.seat(3).send("c" + index);
        }
        for (int index = 0; index < 10; index++) {
            agreed.take(2, 1);
            agreed.take(3, 1);
        }
        agreed.seat(1).turn();
        assertThat(agreed.seat(1).controls()).isEqualTo(1);
        agreed.passAll();
        assertThat(agreed.seat(3).delivered()).hasSize(20).isEqualTo(agreed.seat(2).delivered());
    }

    @Test
    void packetOfTheSequencerHasItsPlaceWithoutAWord() {
        agreed.seat(1).send("a");
        assertThat(agreed.seat(1).delivered()).containsExactly("a");
        agreed.pass(1, 2);
        assertThat(agreed.seat(2).delivered()).containsExactly("a");
        assertThat(agreed.seat(1).controls()).isZero();
    }

    @Test
    void placeBeforeItsPacketIsWaitedFor() {
        agreed.seat(2).send("b");
        agreed.pass(2, 1);
        agreed.seat(1).send("a");
        agreed.pass(1, 3);
        agreed.pass(1, 3);
        assertThat(agreed.seat(3).delivered()).isEmpty();
        agreed.pass(2, 3);
        assertThat(agreed.seat(3).delivered()).containsExactly("b", "a");
    }

    @Test
    void whatIsNotPlacedWhenTheSequencerIsGoneIsPlacedByRule() {
        agreed.seat(3).send("c");
        agreed.seat(2).send("b");
        agreed.pass(3, 2);
        agreed.pass(2, 3);
        agreed.freeze();
        agreed.install();
        assertThat(agreed.seat(2).delivered()).containsExactly("b", "c");
        assertThat(agreed.seat(3).delivered()).containsExactly("b", "c");
    }

    @Test
    void placeOfWhatHasComeToNobodyIsPassed() {
        agreed.seat(3).send("c");
        agreed.pass(3, 1);
        agreed.seat(2).send("b");
        agreed.pass(2, 1);
        agreed.pass(1, 2);
        agreed.pass(1, 2);
        assertThat(agreed.seat(2).delivered()).as("c comes first").isEmpty();
        agreed.freeze();
        agreed.install();
        assertThat(agreed.seat(2).delivered()).containsExactly("b");
    }

    @Test
    void whatFollowsFromSomethingComesAfterItByRuleToo() {
        // 3 answers what 2 has sent; the word of the sequencer is lost with it, and with 3's.
        agreed.seat(2).send("question");
        agreed.pass(2, 1);
        agreed.pass(1, 3);
        agreed.pass(2, 3);
        assertThat(agreed.seat(3).delivered()).containsExactly("question");
        agreed.seat(3).send("answer");
        agreed.pass(3, 2);
        agreed.seat(2).send("second");
        agreed.freeze();
        agreed.install();
        assertThat(agreed.seat(2).delivered()).containsSubsequence("question", "answer").contains("second");
    }

    @Test
    void nothingOfAViewCountsInTheNext() {
        agreed.seat(3).send("c");
        agreed.pass(3, 1);
        agreed.pass(1, 2);
        agreed.freeze();
        agreed.install();
        agreed.seat(2).send("b");
        agreed.passAll();
        for (OrderScene.Seat seat : agreed.seats) {
            assertThat(seat.delivered()).endsWith("b");
        }
        assertThat(agreed.seat(2).delivered()).isEmpty();
    }

    @Test
    void safeDeliveryWaitsUntilAllHaveIt() {
        safe.seat(1).send("a");
        assertThat(safe.seat(1).delivered()).isEmpty();
        safe.pass(1, 2);
        safe.pass(2, 1);
        assertThat(safe.seat(1).delivered()).as("3 may not have it").isEmpty();
        safe.pass(1, 3);
        safe.pass(3, 1);
        assertThat(safe.seat(1).delivered()).containsExactly("a");
        assertThat(safe.seat(3).delivered()).as("3 has not heard of 2").isEmpty();
        safe.passAll();
        assertThat(safe.seat(3).delivered()).containsExactly("a");
    }

    @Test
    void whatIsNotSafeWhenTheViewEndsComesAfterATransition() {
        safe.seat(1).send("a");
        safe.freeze();
        assertThat(safe.seat(1).layer.raised).doesNotHaveAnyElementsOfTypes(Signal.Ordering.Transition.class);
        safe.install();
        assertThat(safe.seat(1).layer.takeRaised(Signal.Ordering.Transition.class)).hasSize(1);
        assertThat(safe.seat(1).delivered()).containsExactly("a");
        safe.freeze();
        safe.install();
        assertThat(safe.seat(1).layer.takeRaised(Signal.Ordering.Transition.class)).as("nothing was left").isEmpty();
    }

    @Test
    void windowOfTheApplicationIsWhatTheWordsLeave() {
        OrderScene.Seat sequencer = agreed.seat(1);
        sequencer.layer.signalUp(new Signal.Flow.Window(null, 100_000, null));
        assertThat(sequencer.layer.takeRaised(Signal.Flow.Window.class))
                .containsExactly(new Signal.Flow.Window(null, 100_000, null));
        agreed.seat(2).send("b");
        agreed.pass(2, 1);
        // A header of 9 bytes, a run of 8, and what a packet costs besides.
        assertThat(sequencer.layer.takeRaised(Signal.Flow.Window.class))
                .containsExactly(new Signal.Flow.Window(null, 100_000 - 17 - 128, null));
        Signal.Flow.Window alone = new Signal.Flow.Window(member(2), 5, null);
        sequencer.layer.signalUp(alone);
        assertThat(sequencer.layer.takeRaised(Signal.Flow.Window.class)).containsExactly(alone);
    }

    @Test
    void saysNothingInAViewChangeNorOnItsWayOut() {
        agreed.seat(2).send("b");
        agreed.freeze();
        agreed.pass(2, 1);
        assertThat(agreed.seat(1).controls()).isZero();
        agreed.install();
        agreed.seat(1).layer.signalDown(new Signal.Departure.Leave());
        agreed.seat(2).send("c");
        agreed.pass(2, 1);
        assertThat(agreed.seat(1).controls()).isZero();
    }

    @Test
    void unicastPassesThrough() {
        OrderScene.Seat seat = agreed.seat(2);
        Packet packet = Packet.create(seat.layer.memory, 8).appendLong(7).withPeer(member(3));
        seat.layer.sendDown(packet);
        assertThat(seat.layer.takeSent()).containsExactly(packet);
        assertThat(packet.length()).isEqualTo(8);
        seat.layer.receive(member(1), packet.withReceipt(UNICAST));
        assertThat(seat.layer.delivered).containsExactly(packet);
        seat.layer.consume(packet);
        assertThat(packet.length()).isEqualTo(8);
        seat.layer.delivered.clear();
    }

    @Test
    void whatIsOutOfBandIsDeliveredAtOnceAndHasNoPlace() {
        OrderScene.Seat sender = agreed.seat(2);
        sender.send("b");
        sender.layer.sendDown(Packet.create(sender.layer.memory, 1).appendByte('!').markOutOfBand());
        sender.turn();
        assertThat(sender.delivered()).containsExactly("!");
        agreed.passAll();
        assertThat(agreed.seat(3).delivered()).containsExactlyInAnyOrder("!", "b");
        assertThat(sender.delivered()).containsExactly("b");
    }

    @Test
    void hostileBytesAreDroppedAndCounted() {
        byte[] word = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1};
        agreed.receive(2, 3, word.clone());
        agreed.receive(2, 1, new byte[] {1, 0, 0});
        agreed.receive(2, 1, new byte[] {9, 0, 0, 0, 0, 0, 0, 0, 0});
        byte[] nobody = word.clone();
        nobody[12] = 3;
        agreed.receive(2, 1, nobody);
        byte[] none = word.clone();
        none[16] = 0;
        agreed.receive(2, 1, none);
        byte[] tooMany = word.clone();
        tooMany[13] = 0x7f;
        agreed.receive(2, 1, tooMany);
        agreed.receive(2, 1, Arrays.copyOf(word, 16));
        assertThat(agreed.seat(2).layer.dropped).containsOnly(DropReason.MALFORMED).hasSize(7);
    }

    @Test
    void nothingIsKeptWhenTheStackEnds() {
        agreed.seat(2).send("b");
        agreed.pass(2, 3);
        safe.seat(1).send("a");
        safe.pass(1, 2);
        for (OrderScene scene : List.of(agreed, safe)) {
            for (OrderScene.Seat seat : scene.seats) {
                seat.order.onStop();
                assertThat(seat.layer.memory.outstanding()).isZero();
            }
        }
    }
}
