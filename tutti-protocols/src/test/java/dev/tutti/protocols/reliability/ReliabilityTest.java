package dev.tutti.protocols.reliability;

import static dev.tutti.protocols.LayerTest.member;
import static dev.tutti.protocols.reliability.ReliabilityScene.LIMITS;
import static dev.tutti.protocols.reliability.ReliabilityScene.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.reliability.buffer.PacketRing;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ReliabilityTest {

    private final ReliabilityScene three = ReliabilityScene.of(3);

    private static TreeMap<Member, Long> cut(int sender, long number) {
        return new TreeMap<>(Map.of(member(sender), number));
    }

    private static TreeMap<Member, Member> holder(int sender, int holder) {
        return new TreeMap<>(Map.of(member(sender), member(holder)));
    }

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
    class Acknowledgement {

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
            assertThat(three.layer.armedNanos(ReliabilityScene.ACK_TIMER)).isEqualTo(LIMITS.ackDelayNanos());
            three.layer.advance(LIMITS.ackDelayNanos());
            assertThat(three.sent()).hasSize(2).allMatch(text -> text.startsWith("ACK 1 "));
            three.layer.fire(ReliabilityScene.ACK_TIMER);
            assertThat(three.sent()).as("nothing new to say").isEmpty();
        }
    }

    @Nested
    class Windows {

        private long limit() {
            List<Signal.Window> windows = three.layer.takeRaised(Signal.Window.class);
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
            assertThat(three.layer.takeRaised(Signal.Window.class))
                    .as("nor is its own window closed")
                    .noneMatch(window -> member(4).equals(window.receiver()));
        }

        @Test
        void whoComesFromAnotherViewOpensItWithItsFirstAcknowledgement() {
            three.send("x".repeat(1_000));
            three.consumeAll();
            long sent = 1_000 + Charge.OVERHEAD_BYTES;
            three.install(withFourFromElsewhere());
            assertThat(three.layer.raised).contains(new Signal.Window(member(4), 0, member(4)));
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
            three.layer.fire(ReliabilityScene.ACK_TIMER);
            assertThat(three.delivered()).hasSize(10);
            three.layer.signalUp(new Signal.Opened(member(2)));
            three.layer.endTurn();
            assertThat(three.sent())
                    .contains("ACK 0 limit " + left + " since 12 0 limit " + unicastLeft + " to n2");
            three.consumeAll();
            three.layer.endTurn();
            assertThat(three.sent()).contains("ACK 0 limit 131072 since 12 0 limit 131072 to n2");
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
            three.layer.fire(ReliabilityScene.STABLE_TIMER);
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
            three.layer.fire(ReliabilityScene.STABLE_TIMER);
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
    class Catching {

        @Test
        void whatIsMissingIsFetchedFromItsHolders_D1() {
            three.multicast(2, 1, "a");
            three.freeze();
            TreeMap<Member, Long> cut = new TreeMap<>(Map.of(member(2), 3L, member(3), 2L));
            three.reach(cut, new TreeMap<>(Map.of(member(2), member(3), member(3), member(3))));
            assertThat(three.sent()).containsExactly("FETCH 2 n2 2-3 n3 1-2 to n3");
            three.repair(3, three.view.id(), 2, 2, "b");
            three.repair(3, three.view.id(), 2, 3, "c");
            three.repair(3, three.view.id(), 3, 1, "d");
            assertThat(three.layer.takeLowered(Signal.Flushed.class)).isEmpty();
            three.repair(3, three.view.id(), 3, 2, "e");
            assertThat(three.layer.takeLowered(Signal.Flushed.class)).containsExactly(new Signal.Flushed(three.ballot()));
            assertThat(three.delivered()).containsExactly("n2:a", "n2:b", "n2:c", "n3:d", "n3:e");
        }

        @Test
        void nothingMissingIsReachedAtOnce() {
            three.multicast(2, 1, "a");
            three.freeze();
            three.reach(cut(2, 1), holder(2, 3));
            assertThat(three.sent()).isEmpty();
            assertThat(three.layer.takeLowered(Signal.Flushed.class)).hasSize(1);
        }

        @Test
        void aRepairBeyondTheCutIsDropped_D5() {
            three.freeze();
            three.reach(cut(2, 1), holder(2, 3));
            three.repair(3, three.view.id(), 2, 2, "beyond");
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.LATE_REPAIR);
        }

        @Test
        void aRepairForASupersededBallotIsDropped_D5() {
            three.freeze();
            three.reach(cut(2, 1), holder(2, 3));
            three.freeze();
            three.repair(3, three.view.id(), 2, 1, "late");
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.LATE_REPAIR);
            assertThat(three.received()).doesNotContainKey(member(2));
        }

        @Test
        void aRepairOfAnotherViewOrSenderIsDropped() {
            three.freeze();
            three.reach(cut(2, 1), holder(2, 3));
            three.repair(3, new ViewId(1, 1, member(1)), 2, 1, "old");
            three.repair(3, three.view.id(), 77, 1, "whose");
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.LATE_REPAIR, DropReason.LATE_REPAIR);
        }

        @Test
        void aRepairTwiceOrOutOfOrderIsDropped() {
            three.freeze();
            three.reach(cut(2, 3), holder(2, 3));
            three.repair(3, three.view.id(), 2, 2, "gap");
            three.repair(3, three.view.id(), 2, 1, "a");
            three.repair(3, three.view.id(), 2, 1, "a");
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.GAP, DropReason.DUPLICATE);
        }
    }

    @Nested
    class Liars {

        @Test
        void repairOfOneThatWasNotAskedIsForged() {
            three.freeze();
            three.reach(cut(2, 1), holder(2, 3));
            three.repair(2, three.view.id(), 2, 1, "not asked");
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.FORGED);
            three.repair(3, three.view.id(), 2, 1, "asked");
            assertThat(three.delivered()).containsExactly("n2:asked");
        }

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
            three.layer.takeRaised(Signal.Window.class);
            three.ack(2, 1, Long.MAX_VALUE, 0, WINDOW);
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.IMPLAUSIBLE);
            three.ack(2, 1, WINDOW, 0, Long.MAX_VALUE);
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.IMPLAUSIBLE);
        }
    }

    @Nested
    class Unicast {

        @Test
        void isNumberedPerReceiverAndKeptUntilAcknowledged() {
            three.sendTo(2, "a");
            three.sendTo(3, "b");
            three.sendTo(2, "c");
            assertThat(three.sent())
                    .containsExactly(
                            "UNICAST since 2 number 1 a to n2",
                            "UNICAST since 2 number 1 b to n3",
                            "UNICAST since 2 number 2 c to n2");
            three.ack(2, 0, WINDOW, 1, WINDOW);
            assertThat(three.layer.memory.outstanding()).isEqualTo(2);
        }

        @Test
        void resumesAfterANewSessionWithoutLossOrDuplicate() {
            three.sendTo(2, "a");
            three.sendTo(2, "b");
            three.sendTo(2, "c");
            three.ack(2, 0, WINDOW, 1, WINDOW);
            three.forget();
            three.layer.signalUp(new Signal.Opened(member(2)));
            assertThat(three.sent()).containsExactly("UNICAST since 2 number 2 b to n2", "UNICAST since 2 number 3 c to n2");
            // The receiver's side of the same.
            three.unicast(3, 2, 1, "x");
            three.unicast(3, 2, 3, "z");
            three.unicast(3, 2, 1, "x");
            three.unicast(3, 2, 2, "y");
            three.unicast(3, 2, 3, "z");
            assertThat(three.delivered()).containsExactly("n3:x", "n3:y", "n3:z");
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.GAP, DropReason.DUPLICATE);
        }

        @Test
        void goesOnOverViewsOfOnePart() {
            three.sendTo(2, "a");
            three.install(three.next(List.of(member(1), member(2))));
            assertThat(three.layer.takeRaised(Signal.StreamReset.class))
                    .containsExactly(new Signal.StreamReset(member(3), false));
            three.forget();
            three.sendTo(2, "b");
            assertThat(three.sent()).containsExactly("UNICAST since 2 number 2 b to n2");
        }

        @Test
        void startsAnewWithAMemberFromAnotherPart() {
            three.sendTo(2, "a");
            View apart = new View(
                    new ViewId(3, 1, member(1)),
                    three.view.members(),
                    List.of(
                            new View.Part(new ViewId(2, 1, member(1)), List.of(member(1), member(3)), new TreeMap<>()),
                            new View.Part(new ViewId(2, 5, member(2)), List.of(member(2)), new TreeMap<>())));
            three.install(apart);
            assertThat(three.layer.takeRaised(Signal.StreamReset.class))
                    .containsExactly(new Signal.StreamReset(member(2), true));
            three.forget();
            three.unicast(2, 2, 1, "of the old stream");
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.OLD_VIEW);
            three.unicast(2, 3, 1, "of the new one");
            assertThat(three.delivered()).containsExactly("n2:of the new one");
            three.sendTo(2, "b");
            assertThat(three.sent()).containsExactly("UNICAST since 3 number 1 b to n2");
        }

        @Test
        void toSomebodyElseIsDropped() {
            three.sendTo(9, "a");
            assertThat(three.layer.takeDropped()).containsExactly(DropReason.NO_SESSION);
        }
    }

    @Nested
    class Leaving {

        @Test
        void waitsUntilAllHaveWhatWasSent() {
            three.send("a");
            three.sendTo(2, "b");
            three.layer.signalDown(new Signal.Leave());
            three.layer.endTurn();
            three.ack(2, 1, WINDOW, 1, WINDOW);
            three.layer.endTurn();
            assertThat(three.layer.takeLowered(Signal.Leave.class)).isEmpty();
            three.ack(3, 1, WINDOW, 0, WINDOW);
            three.layer.endTurn();
            assertThat(three.layer.takeLowered(Signal.Leave.class)).hasSize(1);
            three.layer.advance(LIMITS.leaveTimeoutNanos());
            assertThat(three.layer.takeLowered(Signal.Leave.class)).as("once").isEmpty();
        }

        @Test
        void isBoundedByItsTimer() {
            three.send("a");
            three.layer.signalDown(new Signal.Leave());
            three.freeze();
            three.layer.endTurn();
            three.layer.advance(LIMITS.leaveTimeoutNanos());
            assertThat(three.layer.takeLowered(Signal.Leave.class)).hasSize(1);
        }

        @Test
        void withNothingUnderWayIsAtOnce() {
            three.layer.signalDown(new Signal.Leave());
            three.layer.endTurn();
            assertThat(three.layer.takeLowered(Signal.Leave.class)).hasSize(1);
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
                for (int timer = 0; timer < 3; timer++) {
                    three.layer.fire(timer);
                }
            }
            assertThat(three.sent()).isEmpty();
            assertThat(three.layer.takeLowered(Signal.Leave.class)).isEmpty();
        }
    }
}
