package dev.tutti.protocols.reliability;

import static dev.tutti.protocols.LayerTest.member;
import static dev.tutti.protocols.reliability.ReliabilityScene.LIMITS;
import static dev.tutti.protocols.reliability.ReliabilityScene.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Packet;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ReliabilityTest {

    private final ReliabilityScene three = ReliabilityScene.of(3);

    @Nested
    class Multicast {

        @Test
        void goesToOneselfAndToAll() {
            three.send("a");
            three.send("b");
            assertThat(three.delivered()).containsExactly("n1:a", "n1:b");
            assertThat(three.sent()).containsExactly("MULTICAST 1 stable 0 a", "MULTICAST 2 stable 0 b");
        }

        @Test
        void isDeliveredInOrderAndOnce() {
            three.multicast(2, 1, "a");
            three.multicast(2, 2, "b");
            three.multicast(2, 1, "a");
            three.multicast(2, 0, "zero");
            assertThat(three.delivered()).containsExactly("n2:a", "n2:b");
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.DUPLICATE, DropReason.DUPLICATE);
        }

        @Test
        void afterALostSessionAGapIsDropped() {
            three.multicast(2, 1, "a");
            three.multicast(2, 3, "c");
            three.multicast(2, Long.MAX_VALUE, "end");
            assertThat(three.delivered()).containsExactly("n2:a");
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.GAP, DropReason.GAP);
            assertThat(three.received()).containsEntry(member(2), 1L);
        }

        @Test
        void ofAnotherViewWithTheSameNumberIsDropped() {
            three.multicast(2, new ViewId(2, 1, member(2)), 1, 0, "a");
            three.multicast(2, new ViewId(2, 2, member(1)), 1, 0, "a");
            three.multicast(2, new ViewId(1, 1, member(1)), 1, 0, "a");
            assertThat(three.delivered()).isEmpty();
            assertThat(three.layer.takeDropped())
                    .containsExactly(DropReason.OLD_VIEW, DropReason.OLD_VIEW, DropReason.OLD_VIEW);
        }

        @Test
        void ofAStrangerIsDropped() {
            three.multicast(9, 1, "a");
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.FOREIGN_SENDER);
        }

        @Test
        void isNeitherDeliveredNorCountedWhileFrozen_D4() {
            three.freeze();
            three.multicast(2, 1, "a");
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.FROZEN);
            assertThat(three.delivered()).isEmpty();
            assertThat(three.received()).doesNotContainKey(member(2));
        }

        @Test
        void duringAViewChangeIsAMistakeOfOurs() {
            three.freeze();
            assertThatThrownBy(() -> three.send("a"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("during a view change");
        }
    }

    @Nested
    class Stability {

        @Test
        void isWhatAllHaveAndGoesWithTheNextPacket() {
            three.send("a");
            three.send("b");
            three.ack(2, 2, WINDOW, 0, WINDOW);
            three.ack(3, 1, WINDOW, 0, WINDOW);
            three.layer.endTurn();
            three.forget();
            three.send("c");
            assertThat(three.sent()).containsExactly("MULTICAST 3 stable 1 c");
        }

        @Test
        void isAnnouncedByASenderWithoutPackets() {
            three.send("a");
            three.ack(2, 1, WINDOW, 0, WINDOW);
            three.ack(3, 1, WINDOW, 0, WINDOW);
            three.layer.endTurn();
            three.forget();
            three.layer.advance(LIMITS.stableDelayNanos());
            assertThat(three.sent()).containsExactly("STABLE 1");
            three.layer.fire(ReliabilityTimer.STABLE);
            assertThat(three.sent()).as("once").isEmpty();
        }

        @Test
        void isNotAnnouncedWhileFrozen() {
            three.send("a");
            three.ack(2, 1, WINDOW, 0, WINDOW);
            three.ack(3, 1, WINDOW, 0, WINDOW);
            three.layer.endTurn();
            three.forget();
            three.freeze();
            three.layer.fire(ReliabilityTimer.STABLE);
            assertThat(three.sent()).isEmpty();
        }

        @Test
        void freesCopies() {
            for (int number = 1; number <= 4; number++) {
                three.multicast(2, number, "m");
            }
            assertThat(three.number("n2.copies")).isEqualTo(4);
            three.stable(2, 3);
            assertThat(three.number("n2.copies")).isEqualTo(1);
            three.multicast(2, three.view.id(), 5, 4, "m");
            assertThat(three.number("n2.copies")).isEqualTo(1);
            three.stable(2, Long.MAX_VALUE);
            assertThat(three.number("n2.copies")).as("never more than has arrived").isZero();
            three.multicast(2, 6, "m");
            assertThat(three.number("n2.copies")).isEqualTo(1);
        }

        @Test
        void aPairKeepsNoCopies() {
            ReliabilityScene pair = ReliabilityScene.of(2);
            pair.multicast(2, 1, "m");
            assertThat(pair.number("n2.copies")).isZero();
            pair.consumeAll();
            assertThat(pair.layer.memory.outstanding()).isZero();
        }

        @Test
        void aloneNothingIsKept() {
            ReliabilityScene alone = ReliabilityScene.of(1);
            alone.send("m");
            alone.sendTo(1, "me");
            assertThat(alone.delivered()).containsExactly("n1:m", "n1:me");
            alone.consumeAll();
            assertThat(alone.sent()).isEmpty();
            assertThat(alone.layer.memory.outstanding()).isZero();
        }
    }

    @Nested
    class Leaving {

        @Test
        void waitsUntilAllHaveWhatWasSent() {
            three.send("a");
            three.sendTo(2, "b");
            three.layer.signalDown(new Signal.Departure.Leave());
            three.layer.endTurn();
            three.ack(2, 1, WINDOW, 1, WINDOW);
            three.layer.endTurn();
            assertThat(three.layer.takeLowered(Signal.Departure.Leave.class)).isEmpty();
            three.ack(3, 1, WINDOW, 0, WINDOW);
            three.layer.endTurn();
            assertThat(three.layer.takeLowered(Signal.Departure.Leave.class)).hasSize(1);
            three.layer.advance(LIMITS.leaveTimeoutNanos());
            assertThat(three.layer.takeLowered(Signal.Departure.Leave.class)).as("once").isEmpty();
        }

        @Test
        void isBoundedByItsTimer() {
            three.send("a");
            three.layer.signalDown(new Signal.Departure.Leave());
            three.freeze();
            three.layer.endTurn();
            three.layer.advance(LIMITS.leaveTimeoutNanos());
            assertThat(three.layer.takeLowered(Signal.Departure.Leave.class)).hasSize(1);
        }

        @Test
        void withNothingUnderWayIsAtOnce() {
            three.layer.signalDown(new Signal.Departure.Leave());
            three.layer.endTurn();
            assertThat(three.layer.takeLowered(Signal.Departure.Leave.class)).hasSize(1);
        }
    }

    @Nested
    class Hostile {

        @Test
        void everyTruncationOfEveryHeaderIsMalformed() {
            int[] lengths = {1 + 24 + 16, 1 + 16, 1 + 24 + 40, 1 + 24 + 8, 1 + 32 + 4 + 36, 1 + 24 + 20};
            for (int kind = 0; kind < lengths.length; kind++) {
                for (int length = 0; length < lengths[kind]; length++) {
                    Packet packet = Packet.create(three.layer.memory, 128);
                    for (int index = 0; index < length; index++) {
                        packet.appendByte(index == 0 ? kind : 0);
                    }
                    if (length > 36 && kind == PacketKind.FETCH) {
                        packet.bytes().put(packet.offset() + 36, (byte) 1);
                    }
                    three.layer.receive(member(2), packet);
                    assertThat(three.layer.takeDropped())
                            .as("kind %s, %s bytes", kind, length)
                            .containsExactly(DropReason.MALFORMED);
                }
            }
            assertThat(three.layer.memory.outstanding()).isZero();
        }

        @Test
        void anUnknownKindIsMalformed() {
            three.layer.receive(member(2), Packet.create(three.layer.memory, 16).appendByte(77).appendLong(0));
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.MALFORMED);
        }

        @Test
        void earlyLateAndRepeatedTimersAreHarmless() {
            for (int round = 0; round < 3; round++) {
                for (ReliabilityTimer timer : ReliabilityTimer.values()) {
                    three.layer.fire(timer);
                }
            }
            assertThat(three.sent()).isEmpty();
            assertThat(three.layer.takeLowered(Signal.Departure.Leave.class)).isEmpty();
        }
    }

    @Nested
    class Liars {

        @Test
        void nobodyFetchesFromAViewThatItWasNotIn() {
            three.send("mine");
            three.forget();
            three.fetch(7, three.view.id(), 1, 1, 1);
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.FORGED);
            assertThat(three.sent()).isEmpty();
        }

        @Test
        void windowNearTheEndOfTheRangeIsRefusedAndDoesNotCloseTheOthers() {
            three.send("mine");
            three.layer.endTurn();
            three.layer.takeRaised(Signal.Flow.Window.class);
            three.ack(2, 1, Long.MAX_VALUE, 0, WINDOW);
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.IMPLAUSIBLE);
            three.ack(2, 1, WINDOW, 0, Long.MAX_VALUE);
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.IMPLAUSIBLE);
        }
    }
}
