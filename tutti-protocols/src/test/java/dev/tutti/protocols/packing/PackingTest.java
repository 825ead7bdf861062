package dev.tutti.protocols.packing;

import static dev.tutti.protocols.LayerTest.member;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.CountingMemory;
import dev.tutti.protocols.GroupModel;
import dev.tutti.protocols.GroupModel.Proc;
import dev.tutti.protocols.LayerTest;
import dev.tutti.protocols.reliability.Charge;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PackingTest {

    private static final long LEAVE_NANOS = 1_000_000_000;
    private static final long WINDOW_BYTES = 2_000;
    private static final ViewId BALLOT = new ViewId(2, 1, member(1));

    private final CountingMemory memory = new CountingMemory();
    private final Outgoing outgoing = new Outgoing(memory, 1 << 20);
    private final LayerTest layer = new LayerTest(new Packing(outgoing, LEAVE_NANOS, WINDOW_BYTES));

    private void submit(int receiver, int length) {
        outgoing.offer(receiver == 0 ? null : member(receiver), new byte[length], 0, length);
        layer.signalDown(new Signal.Flow.Submitted());
        layer.endTurn();
    }

    private void open(int receiver, long limitBytes) {
        layer.signalUp(new Signal.Flow.Window(receiver == 0 ? null : member(receiver), limitBytes, member(3)));
        layer.endTurn();
    }

    @Test
    void sendsInTheTurnInWhichItIsSubmitted() {
        open(0, 10_000);
        submit(0, 10);
        submit(0, 20);
        assertThat(layer.takeSent()).extracting(Packet::length).containsExactly(15, 25);
        assertThat(outgoing.waitsFor()).isEmpty();
    }

    @Test
    void waitsForTheWindowAndNamesWhoClosesIt() {
        submit(0, 100);
        open(0, 105 + Charge.OVERHEAD_BYTES - 1);
        assertThat(layer.sent).isEmpty();
        assertThat(outgoing.waitsFor()).isEqualTo("the window is closed by n3");
        open(0, 105 + Charge.OVERHEAD_BYTES);
        assertThat(layer.takeSent()).hasSize(1);
        assertThat(outgoing.waitsFor()).isEmpty();
        submit(0, 0);
        assertThat(layer.sent).as("the window is used up").isEmpty();
    }

    @Test
    void takesNoMoreThanAnAllowanceAndServesReceiversByTurns() {
        layer.signalUp(new Signal.ViewChange.Installed(new View(BALLOT, List.of(member(1), member(2)), List.of()), 1, true));
        layer.signalUp(new Signal.Flow.Allowance(0, "the rate is limited"));
        open(0, 100_000);
        submit(0, 1_000);
        submit(0, 130_000);
        submit(2, 200);
        assertThat(layer.takeSent()).isEmpty();
        assertThat(outgoing.waitsFor()).isEqualTo("the rate is limited");
        layer.signalUp(new Signal.Flow.Allowance(1, "the rate is limited"));
        layer.endTurn();
        assertThat(layer.takeSent()).extracting(Packet::length).as("whole, though it exceeds the allowance").containsExactly(1_005);
        layer.endTurn();
        assertThat(layer.takeSent()).isEmpty();
        layer.signalUp(new Signal.Flow.Allowance(1, "the rate is limited"));
        layer.endTurn();
        assertThat(layer.takeSent()).extracting(Packet::length).as("to the other receiver").containsExactly(205);
    }

    @Test
    void aMemberHasAWholeWindowUnlessAnotherIsTold() {
        layer.signalUp(new Signal.ViewChange.Installed(new View(BALLOT, List.of(member(1), member(2)), List.of()), 1, true));
        submit(2, 1_500);
        assertThat(layer.takeSent()).hasSize(1);
        submit(2, 500);
        assertThat(layer.sent).as("the window is used up").isEmpty();
        assertThat(outgoing.waitsFor()).isEqualTo("the window is closed by n2");
        open(2, 4_000);
        assertThat(layer.takeSent()).hasSize(1);
    }

    @Test
    void aReceiverWithoutAWindowIsNamed() {
        layer.signalUp(new Signal.Flow.StreamReset(member(2), true));
        layer.signalUp(new Signal.Flow.Window(member(2), 0, member(2)));
        layer.signalUp(new Signal.ViewChange.Installed(new View(BALLOT, List.of(member(1), member(2)), List.of()), 1, true));
        submit(2, 10);
        assertThat(outgoing.waitsFor()).isEqualTo("the window is closed by n2");
        open(2, 1_000);
        assertThat(layer.takeSent()).singleElement().satisfies(packet -> assertThat(packet.peer()).isEqualTo(member(2)));
    }

    @Test
    void oneClosedStreamDoesNotHoldUpTheOthers() {
        open(0, 10);
        open(2, 1_000);
        submit(0, 10);
        submit(2, 10);
        assertThat(layer.takeSent()).singleElement().satisfies(packet -> assertThat(packet.peer()).isEqualTo(member(2)));
        assertThat(outgoing.isWaiting(null)).isTrue();
    }

    @Test
    void memberThatClosesAllWindowsIsToldApartFromOneOfSeveral() {
        submit(0, 100);
        open(0, 10);
        assertThat(outgoing.closedBy()).isEqualTo(member(3));
        layer.signalUp(new Signal.ViewChange.Installed(new View(BALLOT, List.of(member(1), member(2)), List.of()), 1, true));
        layer.signalUp(new Signal.Flow.Window(member(2), 0, member(2)));
        submit(2, 10);
        assertThat(outgoing.closedBy()).as("of n2 and n3").isNull();
        open(2, 1_000);
        assertThat(outgoing.closedBy()).isEqualTo(member(3));
        layer.signalUp(new Signal.ViewChange.Freeze(BALLOT));
        assertThat(outgoing.closedBy()).as("the view is changing").isNull();
    }

    @Test
    void stopsForAViewChangeAndGoesOnInTheNewView() {
        open(0, 1_000);
        layer.signalUp(new Signal.ViewChange.Freeze(BALLOT));
        assertThat(layer.takeLowered(Signal.ViewChange.Frozen.class))
                .containsExactly(new Signal.ViewChange.Frozen(BALLOT, new TreeMap<>()));
        submit(0, 10);
        assertThat(layer.sent).isEmpty();
        assertThat(outgoing.waitsFor()).isEqualTo("the view is changing");
        layer.signalUp(new Signal.ViewChange.Installed(View.alone(member(1)), 1, false));
        layer.endTurn();
        assertThat(layer.sent).as("a newer ballot is promised").isEmpty();
        layer.signalUp(new Signal.ViewChange.Installed(View.alone(member(1)), 1, true));
        layer.endTurn();
        assertThat(layer.takeSent()).hasSize(1);
    }

    private static Signal installed(boolean isSteady) {
        return new Signal.ViewChange.Installed(new View(BALLOT, List.of(member(1), member(2)), List.of()), 1, isSteady);
    }

    @Test
    void messagesToOneGoOnWhileTheViewChanges() {
        layer.signalUp(installed(true));
        open(0, 1_000);
        layer.signalUp(new Signal.ViewChange.Freeze(BALLOT));
        submit(0, 10);
        submit(2, 10);
        submit(4, 10);
        assertThat(layer.takeSent()).singleElement().satisfies(packet -> assertThat(packet.peer()).isEqualTo(member(2)));
        assertThat(outgoing.isWaiting(null)).isTrue();
        assertThat(outgoing.isWaiting(member(4))).as("it may be in the next view").isTrue();
        assertThat(outgoing.waitsFor()).isEqualTo("the view is changing");
        layer.signalUp(installed(false));
        submit(2, 10);
        assertThat(layer.takeSent()).as("a newer ballot is promised").hasSize(1);
    }

    @Test
    void nothingIsSentOutsideOfThePrimaryPartition() {
        layer.signalUp(installed(false));
        submit(2, 10);
        assertThat(layer.sent).as("before the first view in which packets flow").isEmpty();
        layer.signalUp(installed(true));
        layer.endTurn();
        assertThat(layer.takeSent()).hasSize(1);
        layer.signalUp(new Signal.ViewChange.Freeze(BALLOT));
        layer.signalUp(new Signal.Primary.Suspended("most are away"));
        submit(2, 10);
        layer.signalUp(new Signal.ViewChange.Freeze(BALLOT));
        layer.signalUp(installed(false));
        layer.endTurn();
        assertThat(layer.sent).isEmpty();
        layer.signalUp(installed(true));
        layer.endTurn();
        assertThat(layer.takeSent()).hasSize(1);
    }

    @Test
    void messagesToOneOfAnUnreliableGroupWaitForTheNextView() {
        LayerTest unreliable = new LayerTest(new Packing(
                outgoing, LEAVE_NANOS, WINDOW_BYTES, Packing.Headers.NONE, new LargeMessages(member(1), 1 << 20, false)));
        unreliable.signalUp(installed(true));
        unreliable.signalUp(new Signal.ViewChange.Freeze(BALLOT));
        outgoing.offer(member(2), new byte[10], 0, 10);
        unreliable.signalDown(new Signal.Flow.Submitted());
        unreliable.endTurn();
        assertThat(unreliable.sent).isEmpty();
        unreliable.signalUp(installed(true));
        unreliable.endTurn();
        assertThat(unreliable.takeSent()).hasSize(1);
    }

    @Test
    void aStreamThatStartsAnewStartsAtZero() {
        open(2, 1_000);
        submit(2, 800);
        layer.takeSent();
        submit(2, 10);
        layer.signalUp(new Signal.Flow.StreamReset(member(2), true));
        assertThat(outgoing.isWaiting(member(2))).as("what waited is discarded").isFalse();
        open(2, 1_000);
        submit(2, 800);
        assertThat(layer.takeSent()).hasSize(1);
    }

    @Test
    void leavesWhenAllIsTaken() {
        submit(0, 10);
        layer.signalDown(new Signal.Departure.Leave());
        layer.endTurn();
        assertThat(layer.takeLowered(Signal.Departure.Leave.class)).isEmpty();
        open(0, 1_000);
        assertThat(layer.takeLowered(Signal.Departure.Leave.class)).hasSize(1);
        layer.advance(LEAVE_NANOS);
        layer.fire(Packing.PackingTimer.LEAVE);
        assertThat(layer.takeLowered(Signal.Departure.Leave.class)).as("once").isEmpty();
    }

    @Test
    void leavingIsBoundedByItsTimer() {
        submit(0, 10);
        layer.signalDown(new Signal.Departure.Leave());
        layer.advance(LEAVE_NANOS - 1);
        assertThat(layer.takeLowered(Signal.Departure.Leave.class)).isEmpty();
        layer.advance(1);
        assertThat(layer.takeLowered(Signal.Departure.Leave.class)).hasSize(1);
    }

    @Test
    void sixteenMebibytesGoThroughAWindowOf128Kibibytes() {
        GroupModel model = new GroupModel(2, 128 * 1024);
        model.connectAll();
        model.settle();
        LargeMessage large = model.sendLarge(model.procs.getFirst(), 16 << 20);
        model.send(model.procs.getFirst());
        model.settle();
        assertThat(large.isTaken()).isTrue();
        model.checkSafety();
        model.checkAtRest();
        for (Proc proc : model.procs) {
            assertThat(proc.history.getLast().delivered).containsExactly("n0:m0", "n0:m1");
            assertThat(proc.memory.outstandingBytesMax()).isLessThan(4 * 128 * 1024);
        }
    }

    /** Old members and newcomer deliver it once, whole, in the new view, wherever the join falls. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 5, 8, 13, 21})
    void aLargeMessageHalfSentAtAViewChangeIsSentAgainInTheNewView(int receptions) {
        GroupModel model = new GroupModel(2, 128 * 1024);
        model.connectAll();
        model.settle();
        Proc sender = model.procs.getFirst();
        Proc other = model.procs.get(1);
        LargeMessage large = model.sendLarge(sender, 1 << 20);
        for (int index = 0; index < receptions; index++) {
            if (model.canReceive(sender, other)) {
                model.receive(sender, other);
            } else if (model.canReceive(other, sender)) {
                model.receive(other, sender);
            }
        }
        other.isConsuming = false;
        model.deliverAll();
        assertThat(large.isTaken()).isFalse();
        assertThat(large.progress()).isPositive();
        Proc newcomer = model.add();
        model.connectAll();
        model.settle();
        assertThat(newcomer.view().size()).isEqualTo(3);
        assertThat(large.isTaken()).as("the backlog fills the window in the new view too").isFalse();
        other.isConsuming = true;
        model.heal();
        model.checkSafety();
        model.checkAtRest();
        for (Proc proc : List.of(sender, other, newcomer)) {
            assertThat(proc.history.getLast().delivered).containsExactly("n0:m0");
        }
        assertThat(large.isTaken()).isTrue();
    }
}
