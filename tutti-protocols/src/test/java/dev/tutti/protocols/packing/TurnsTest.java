package dev.tutti.protocols.packing;

import static dev.tutti.protocols.LayerTest.member;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.CountingMemory;
import dev.tutti.protocols.LayerTest;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Members whose words about turns are carried by hand; n1 is the coordinator. */
class TurnsTest {

    private static final int LIMIT = 1 << 20;

    /** More than a share of a view of three, and not more than half of the limit. */
    private static final int HALF = LIMIT / 2;

    private static final int WHOLE = LIMIT;

    private final CountingMemory memory = new CountingMemory();

    /** A member's highest layer alone. */
    private final class Side {
        private final Member self;
        private final Outgoing outgoing = new Outgoing(memory, 1 << 20);
        private final LayerTest layer;
        private final TreeMap<Integer, Long> sentBytes = new TreeMap<>();

        Side(int number, long limit) {
            self = member(number);
            layer = new LayerTest(new Packing(outgoing, 1, Long.MAX_VALUE / 2, Packing.Headers.NONE, new LargeMessages(self, limit, true)));
            layer.signalUp(new Signal.Flow.Window(null, Long.MAX_VALUE / 2, null));
        }

        LargeMessage submit(Member receiver, int length) {
            LargeMessage large = outgoing.offerLarge(receiver, new byte[length], 0, length);
            layer.signalDown(new Signal.Flow.Submitted());
            layer.endTurn();
            return large;
        }

        void wake() {
            layer.signalDown(new Signal.Flow.Submitted());
            layer.endTurn();
        }

        /** Bytes of pieces that were sent; words go to the others. */
        long carry() {
            long pieces = 0;
            for (Packet packet : layer.takeSent()) {
                if (Records.isTurn(packet)) {
                    Side to = sides.get((int) packet.peer().node().incarnation() - 1);
                    to.layer.receive(self, packet.withReceipt(() -> true));
                } else {
                    pieces += packet.length() - Records.PIECE_HEADER_BYTES;
                    packet.release();
                }
            }
            return pieces;
        }
    }

    private final List<Side> sides = new ArrayList<>();

    private void start(long... limits) {
        for (int index = 0; index < limits.length; index++) {
            sides.add(new Side(index + 1, limits[index]));
        }
        for (Side side : sides) {
            for (Side other : sides) {
                side.layer.signalUp(new Signal.Peer.MessageLimit(other.self, limits[sides.indexOf(other)]));
            }
        }
        install(2, IntStream.rangeClosed(1, limits.length).toArray());
    }

    private void install(int number, int... members) {
        List<Member> list = IntStream.of(members).mapToObj(LayerTest::member).toList();
        for (int member : members) {
            side(member).layer.signalUp(
                    new Signal.ViewChange.Installed(new View(new ViewId(number, 1, member(1)), list, List.of()), 1, true));
            side(member).layer.endTurn();
        }
    }

    private Side side(int number) {
        return sides.get(number - 1);
    }

    /** Everybody says what there is to say, and sends what it may. */
    private List<Long> carry() {
        long[] pieces = new long[sides.size()];
        for (int round = 0; round < 10; round++) {
            for (int index = 0; index < pieces.length; index++) {
                pieces[index] += sides.get(index).carry();
                sides.get(index).layer.endTurn();
            }
        }
        return IntStream.range(0, pieces.length).mapToObj(index -> pieces[index]).toList();
    }

    @Test
    void smallerThanAShareNeedsNoTurn() {
        start(LIMIT, LIMIT, LIMIT);
        side(2).submit(null, LIMIT / 6);
        assertThat(side(2).layer.sent).noneMatch(Records::isTurn);
        assertThat(carry()).containsExactly(0L, LIMIT / 6L, 0L);
    }

    @Test
    void turnsAreGivenInTheOrderOfTheQuestionsAsFarAsTheMemoryGoes() {
        start(LIMIT, LIMIT, LIMIT);
        closeWindows();
        side(2).submit(null, HALF);
        side(2).carry();
        side(3).submit(null, HALF);
        side(3).carry();
        side(1).submit(null, HALF);
        assertThat(carry()).as("all wait for the window").containsExactly(0L, 0L, 0L);
        open(1);
        assertThat(carry()).as("two have filled the memory").containsExactly(0L, 0L, 0L);
        open(2);
        assertThat(carry()).as("n2 gives its turn back, and n1 is next").containsExactly((long) HALF, (long) HALF, 0L);
        open(3);
        assertThat(carry()).containsExactly(0L, 0L, (long) HALF);
    }

    private void closeWindows() {
        for (Side side : sides) {
            side.layer.signalUp(new Signal.Flow.Window(null, 0, side.self));
        }
    }

    private void open(int number) {
        side(number).layer.signalUp(new Signal.Flow.Window(null, Long.MAX_VALUE / 2, null));
        side(number).layer.endTurn();
    }

    @Test
    void largestMessageIsAloneAndAlwaysFits() {
        start(LIMIT, LIMIT, LIMIT);
        closeWindows();
        side(2).submit(null, WHOLE);
        side(2).carry();
        side(3).submit(null, WHOLE);
        carry();
        open(3);
        assertThat(carry()).containsExactly(0L, 0L, 0L);
        assertThat(side(3).outgoing.waitsFor()).contains("waits for its turn").contains("message-bytes-max");
        open(2);
        assertThat(carry()).containsExactly(0L, (long) WHOLE, (long) WHOLE);
    }

    @Test
    void progressOfThoseWhoHaveTurnsIsProgressOfThoseWhoWait() {
        start(4 * LIMIT, 4 * LIMIT, 4 * LIMIT);
        closeWindows();
        side(2).submit(null, 4 * LIMIT);
        carry();
        LargeMessage waiting = side(3).submit(null, 4 * LIMIT);
        carry();
        long before = waiting.progress();
        side(2).layer.signalUp(new Signal.Flow.Window(null, LIMIT / 2, side(3).self));
        side(2).layer.endTurn();
        carry();
        assertThat(waiting.progress()).as("too little to tell of").isEqualTo(before);
        side(2).layer.signalUp(new Signal.Flow.Window(null, 2 * LIMIT, side(3).self));
        side(2).layer.endTurn();
        carry();
        assertThat(waiting.progress()).isGreaterThan(before);
        assertThat(waiting.isTaken()).isFalse();
    }

    @Test
    void memberHasOneTurnAtATime() {
        start(LIMIT, LIMIT, LIMIT);
        closeWindows();
        side(2).layer.signalUp(new Signal.Flow.Window(member(3), 0, member(3)));
        side(2).submit(null, HALF);
        side(2).submit(member(3), HALF);
        carry();
        assertThat(side(2).outgoing.wantsTurn(member(3))).isNotNull();
        open(2);
        carry();
        assertThat(side(2).outgoing.wantsTurn(member(3))).isNull();
    }

    @Test
    void turnOfAWithdrawnMessageIsTheNextOnes() {
        start(LIMIT, LIMIT, LIMIT);
        closeWindows();
        LargeMessage withdrawn = side(2).submit(null, WHOLE);
        carry();
        side(3).submit(null, WHOLE);
        open(3);
        carry();
        side(2).outgoing.withdraw(withdrawn);
        side(2).wake();
        assertThat(carry()).containsExactly(0L, 0L, (long) WHOLE);
    }

    @Test
    void questionOfAWithdrawnMessageIsForgotten() {
        start(LIMIT, LIMIT, LIMIT);
        closeWindows();
        side(2).submit(null, WHOLE);
        carry();
        LargeMessage withdrawn = side(3).submit(null, WHOLE);
        carry();
        side(3).outgoing.withdraw(withdrawn);
        side(3).wake();
        side(1).submit(null, WHOLE);
        carry();
        open(2);
        carry();
        open(1);
        assertThat(carry().getFirst()).isEqualTo(WHOLE);
    }

    @Test
    void viewBeginsWithoutTurnsAndMessagesToAllStartAgain() {
        start(LIMIT, LIMIT, LIMIT);
        closeWindows();
        side(2).submit(null, WHOLE);
        carry();
        side(3).submit(null, WHOLE);
        carry();
        // n2, which has the turn, is gone.
        install(3, 1, 3);
        open(3);
        assertThat(carry()).containsExactly(0L, 0L, (long) WHOLE);
    }

    @Test
    void newCoordinatorKnowsOfAMessageToOneThatIsHalfSent() {
        start(LIMIT, LIMIT, LIMIT);
        side(3).layer.signalUp(new Signal.Flow.Window(member(2), 200_000, member(2)));
        side(3).submit(member(2), WHOLE);
        assertThat(carry().getLast()).isPositive().isLessThan(WHOLE);
        install(3, 2, 3);
        carry();
        side(2).submit(null, WHOLE);
        assertThat(carry().get(1)).as("it waits for the one to n2").isZero();
        side(3).layer.signalUp(new Signal.Flow.Window(member(2), Long.MAX_VALUE / 2, null));
        side(3).layer.endTurn();
        List<Long> pieces = carry();
        assertThat(pieces.get(2)).isPositive();
        assertThat(pieces.get(1)).isEqualTo(WHOLE);
    }

    @Test
    void questionThatIsAheadOfTheViewIsAnsweredInIt() {
        start(LIMIT, LIMIT, LIMIT);
        List<Member> both = List.of(member(1), member(2));
        View next = new View(new ViewId(3, 1, member(1)), both, List.of());
        side(2).layer.signalUp(new Signal.ViewChange.Installed(next, 1, true));
        side(2).submit(null, WHOLE);
        assertThat(carry()).as("n1 is in the view before").containsExactly(0L, 0L, 0L);
        side(1).layer.signalUp(new Signal.ViewChange.Installed(next, 1, true));
        side(1).layer.endTurn();
        assertThat(carry().get(1)).isEqualTo(WHOLE);
    }

    @Test
    void questionOfAnEarlierViewIsNotAnswered() {
        start(LIMIT, LIMIT, LIMIT);
        closeWindows();
        side(2).submit(null, WHOLE);
        // The question is still under way when the view changes: n2 asks again.
        List<Packet> late = side(2).layer.takeSent();
        install(3, 1, 2, 3);
        carry();
        late.forEach(packet -> side(1).layer.receive(member(2), packet.withReceipt(() -> true)));
        side(1).layer.endTurn();
        open(2);
        assertThat(carry().get(1)).isEqualTo(WHOLE);
        side(3).submit(null, WHOLE);
        open(3);
        assertThat(carry().get(2)).as("nothing of the first question is left").isEqualTo(WHOLE);
    }

    @Test
    void leastLimitOfTheViewCountsAndItsMemberIsNamed() {
        start(2 * LIMIT, 4 * LIMIT, LIMIT);
        assertThat(side(2).outgoing.refusal(null, LIMIT)).isNull();
        assertThat(side(2).outgoing.refusal(null, LIMIT + 1))
                .contains((LIMIT + 1) + " bytes")
                .contains("n3 takes at most " + LIMIT + " bytes");
        assertThat(side(2).outgoing.refusal(member(1), 2 * LIMIT)).as("to one").isNull();
        assertThat(side(2).outgoing.refusal(member(1), 2 * LIMIT + 1)).contains("n1 takes at most " + 2 * LIMIT);
        install(3, 1, 2);
        assertThat(side(2).outgoing.refusal(null, 2 * LIMIT)).isNull();
    }

    @Test
    void limitCountsWhileItsMemberHasNoSessionAndIsForgottenWithTheView() {
        start(LIMIT, 4 * LIMIT, 4 * LIMIT);
        side(2).layer.signalUp(new Signal.Peer.Closed(member(1), false, "lost"));
        assertThat(side(2).outgoing.refusal(null, LIMIT + 1)).isNotNull();
        install(3, 2, 3);
        assertThat(side(2).outgoing.refusal(null, LIMIT + 1)).isNull();
        assertThat(side(2).outgoing.refusal(member(1), LIMIT + 1)).as("not known any more").isNull();
    }

    @Test
    void messageThatWaitsFailsWhenAMemberComesThatDoesNotTakeIt() {
        start(4 * LIMIT, 4 * LIMIT, LIMIT);
        install(3, 1, 2);
        side(2).layer.signalUp(new Signal.Flow.Window(null, 200_000, member(1)));
        LargeMessage large = side(2).submit(null, 3 * LIMIT);
        long pieces = carry().get(1);
        assertThat(pieces).isPositive().isLessThan(3 * LIMIT);
        install(4, 1, 2, 3);
        assertThat(large.isTooLarge()).isTrue();
        assertThat(large.failure()).contains("n3 takes at most " + LIMIT + " bytes");
        side(2).submit(null, LIMIT);
        open(2);
        assertThat(carry().get(1)).as("the next one goes").isEqualTo(LIMIT);
    }

    @Test
    void wordThatCannotBeDecodedIsDropped() {
        start(LIMIT, LIMIT);
        Packet bad = Packet.create(Memory.onHeap(), 64).appendByte(Records.TURN).appendByte(9).appendLong(2).appendInt(1).appendLong(1);
        side(1).layer.receive(member(2), bad.withReceipt(() -> true));
        assertThat(side(1).layer.dropped).hasSize(1);
    }
}
