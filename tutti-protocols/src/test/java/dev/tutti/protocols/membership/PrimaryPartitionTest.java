package dev.tutti.protocols.membership;

import static dev.tutti.protocols.membership.MembershipScene.TIMING;
import static dev.tutti.protocols.membership.MembershipScene.id;
import static dev.tutti.protocols.membership.MembershipScene.m;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.LayerTest;
import dev.tutti.protocols.membership.primary.PrimaryChain;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One member of a group with a primary partition: what it says when, and what is safe before. */
class PrimaryPartitionTest {

    private static final List<String> FOUNDERS = List.of("n1", "n2", "n3");
    private static final long LEAVE_NANOS = 1_000_000_000L;

    private final Members known = new Members();
    private LayerTest layer = layer(2);

    private static LayerTest layer(int self) {
        return new LayerTest(Membership.primary(m(self), 1, TIMING, FOUNDERS, LEAVE_NANOS));
    }

    // ------------------------------------------------------------------ telling a story

    private void open(int... numbers) {
        for (int number : numbers) {
            layer.signalUp(new Signal.Peer.Opened(m(number), 1));
        }
    }

    private void turn() {
        layer.endTurn();
    }

    private void loaded(@Nullable Packet record) {
        up(new Signal.Primary.Loaded(record));
        turn();
    }

    private void up(Signal signal) {
        layer.signalUp(signal);
    }

    /** The layer above answers at once. */
    private void freezeAbove(ViewId ballot) {
        assertThat(layer.raised).contains(new Signal.ViewChange.Freeze(ballot));
        layer.signalDown(new Signal.ViewChange.Frozen(ballot, new TreeMap<>()));
    }

    private void receive(int from, Packet message) {
        layer.receive(m(from), message);
    }

    private void advert(int from, int follows) {
        Advert advert = new Advert(View.alone(m(from)).id(), View.alone(m(from)).id(), m(follows), Advert.OUTSIDE);
        Packet message = Control.message(MembershipMessage.ADVERT, 4_096);
        advert.appendTo(message, Advert.heard(List.of(m(1), m(2), m(3)), List.of()));
        receive(from, message);
    }

    private List<Packet> stores() {
        List<Packet> stores = new ArrayList<>();
        for (Signal signal : layer.lowered) {
            if (signal instanceof Signal.Primary.Store store) {
                stores.add(copy(store.record()));
            }
        }
        return stores;
    }

    private static Packet copy(Packet packet) {
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(packet.offset(), bytes);
        return Packet.create(Memory.onHeap(), bytes.length).append(bytes, 0, bytes.length);
    }

    private void stored() {
        up(new Signal.Primary.Stored(stores().size()));
        turn();
    }

    private List<Integer> kindsTo(int receiver) {
        List<Integer> kinds = new ArrayList<>();
        for (Packet packet : layer.sent) {
            Member peer = packet.peer();
            if (peer != null && peer.equals(m(receiver))) {
                kinds.add((int) packet.bytes().get(packet.offset()));
            }
        }
        return kinds;
    }

    /** Member 2 follows 1, has a record of its own, and promises 1's ballot. */
    private ViewId promised() {
        open(1, 3);
        turn();
        loaded(null);
        advert(1, 1);
        turn();
        ViewId ballot = id(2, 1, 1);
        receive(1, Control.prepare(ballot, View.alone(m(1)).id()));
        freezeAbove(ballot);
        return ballot;
    }

    private View proposed(ViewId ballot, ViewId previous) {
        List<View.Part> parts = new ArrayList<>();
        for (int number = 1; number <= 3; number++) {
            parts.add(new View.Part(View.alone(m(number)).id(), List.of(m(number)), new TreeMap<>()));
        }
        View.Primary place = new View.Primary(1, previous, List.of(11L, 12L, 13L), List.of());
        return new View(ballot, List.of(m(1), m(2), m(3)), parts, place);
    }

    private static ViewId founding() {
        return PrimaryChain.founding(FOUNDERS).id();
    }

    private PrimaryChain.Vote votedIn(Packet ack) {
        Packet message = copy(ack);
        message.takeByte();
        Wire.takeViewId(message, known);
        if (message.takeBoolean()) {
            throw new AssertionError("the proposer knows the view of a newcomer");
        }
        Wire.takeViewId(message, known);
        Wire.takeVector(message, known);
        return PrimaryChain.takeVote(message, known);
    }

    private Packet lastOf(int kind) {
        return layer.sent.stream()
                .filter(packet -> packet.bytes().get(packet.offset()) == kind)
                .reduce((one, other) -> other)
                .orElseThrow();
    }

    // ------------------------------------------------------------------ the record

    @Test
    void memberSaysNothingBeforeItsRecordIsLoaded() {
        open(1, 3);
        turn();
        assertThat(layer.lowered).contains(new Signal.Primary.Load());
        assertThat(layer.sent).isEmpty();
        loaded(null);
        assertThat(kindsTo(1)).contains(MembershipMessage.ADVERT);
        assertThat(layer.raised).anyMatch(signal -> signal instanceof Signal.Primary.Suspended);
    }

    @Test
    void firstViewIsNotSteady() {
        turn();
        assertThat(layer.raised).contains(new Signal.ViewChange.Installed(View.alone(m(2)), 1, false));
    }

    @Test
    void answerLeavesWhenThePromiseIsSafe() {
        promised();
        assertThat(stores()).hasSize(1);
        assertThat(kindsTo(1)).doesNotContain(MembershipMessage.ACK);
        stored();
        assertThat(kindsTo(1)).contains(MembershipMessage.ACK);
    }

    @Test
    void acceptanceLeavesWhenItIsSafe() {
        ViewId ballot = promised();
        stored();
        receive(1, Control.propose(ballot, proposed(ballot, founding()), new long[] {2, 2, 2}, new TreeMap<>(), true));
        assertThat(stores()).as("before the fetch").hasSize(1);
        up(new Signal.ViewChange.Flushed(ballot));
        assertThat(stores()).hasSize(2);
        assertThat(kindsTo(1)).doesNotContain(MembershipMessage.ACCEPTED);
        stored();
        assertThat(kindsTo(1)).contains(MembershipMessage.ACCEPTED);
        assertThat(layer.raised).as("not yet installed").noneMatch(PrimaryPartitionTest::isPrimary);
        receive(1, Control.note(MembershipMessage.INSTALL, ballot));
        assertThat(layer.raised).anyMatch(PrimaryPartitionTest::isPrimary);
    }

    private static boolean isPrimary(Signal signal) {
        return signal instanceof Signal.ViewChange.Installed installed && installed.view().isPrimary() && installed.isSteady();
    }

    @Test
    void proposalThatFollowsAnotherViewIsNotAccepted() {
        ViewId ballot = promised();
        stored();
        View other = proposed(ballot, id(1, 7, 3));
        receive(1, Control.propose(ballot, other, new long[] {2, 2, 2}, new TreeMap<>(), true));
        up(new Signal.ViewChange.Flushed(ballot));
        assertThat(stores()).hasSize(1);
    }

    @Test
    void installationBeforeTheFetchIsOverWaitsForIt() {
        ViewId ballot = promised();
        stored();
        receive(1, Control.propose(ballot, proposed(ballot, founding()), new long[] {2, 2, 2}, new TreeMap<>(), true));
        receive(1, Control.note(MembershipMessage.INSTALL, ballot));
        assertThat(layer.raised).noneMatch(PrimaryPartitionTest::isPrimary);
        up(new Signal.ViewChange.Flushed(ballot));
        assertThat(layer.raised).anyMatch(PrimaryPartitionTest::isPrimary);
    }

    @Test
    void promiseAndAcceptanceOutlastTheProcess() {
        ViewId ballot = promised();
        stored();
        View proposal = proposed(ballot, founding());
        receive(1, Control.propose(ballot, proposal, new long[] {2, 2, 2}, new TreeMap<>(), true));
        up(new Signal.ViewChange.Flushed(ballot));
        Packet record = stores().getLast();
        PrimaryChain.Vote before = votedIn(lastOf(MembershipMessage.ACK));

        layer = layer(2);
        open(1, 3);
        turn();
        loaded(record);
        advert(1, 1);
        turn();
        receive(1, Control.prepare(ballot, View.alone(m(1)).id()));
        assertThat(kindsTo(1)).as("promised in the life before").contains(MembershipMessage.NACK);
        ViewId higher = id(2, 2, 1);
        receive(1, Control.prepare(higher, View.alone(m(1)).id()));
        freezeAbove(higher);
        stored();
        PrimaryChain.Vote vote = votedIn(lastOf(MembershipMessage.ACK));
        assertThat(vote.voter()).isEqualTo(before.voter());
        assertThat(vote.accepted()).isNotNull();
        assertThat(vote.accepted().view()).isEqualTo(proposal);
        assertThat(vote.accepted().view().primary()).isEqualTo(proposal.primary());
    }

    @Test
    void recordThatCantBeReadEndsTheMembership() {
        ViewId ballot = promised();
        Packet whole = stores().getLast();
        for (int length = 0; length < whole.length(); length++) {
            layer = layer(2);
            turn();
            byte[] bytes = new byte[length];
            whole.bytes().get(whole.offset(), bytes);
            loaded(Packet.create(Memory.onHeap(), Math.max(1, length)).append(bytes, 0, length));
            assertThat(layer.lowered).as("cut at " + length).anyMatch(signal -> signal instanceof Signal.Departure.Failed);
            open(1);
            turn();
            assertThat(layer.sent).as("cut at " + length + ", " + ballot).isEmpty();
        }
    }

    // ------------------------------------------------------------------ waiting

    @Test
    void whoIsToldToWaitStandsOutsideAndSaysWhy() {
        ViewId ballot = promised();
        stored();
        receive(1, Control.wait(ballot, List.of(m(1), m(2)), "waits for n3"));
        turn();
        assertThat(layer.raised).contains(new Signal.Primary.Suspended("waits for n3"));
        assertThat(layer.raised).noneMatch(PrimaryPartitionTest::isPrimary);
    }

    @Test
    void whoComesBackToAViewThatItHadPromisedTellsThoseWhoTookItToBeOutside() {
        ViewId ballot = promised();
        stored();
        receive(1, Control.propose(ballot, proposed(ballot, founding()), new long[] {2, 2, 2}, new TreeMap<>(), true));
        up(new Signal.ViewChange.Flushed(ballot));
        stored();
        up(new Signal.Peer.Closed(m(1), false, "cut off"));
        turn();
        assertThat(lastAdvertTo(3)).returns(Advert.OUTSIDE, Advert::joined).returns(ballot, Advert::promised);
        open(1);
        receive(1, Control.note(MembershipMessage.INSTALL, ballot));
        turn();
        assertThat(lastAdvertTo(3)).returns(2L, Advert::joined).returns(ballot, Advert::view);
    }

    private Advert lastAdvertTo(int receiver) {
        Packet message = layer.sent.stream()
                .filter(packet -> packet.bytes().get(packet.offset()) == MembershipMessage.ADVERT && m(receiver).equals(packet.peer()))
                .reduce((one, other) -> other)
                .map(PrimaryPartitionTest::copy)
                .orElseThrow();
        message.takeByte();
        return Advert.takeFrom(message, known);
    }

    @Test
    void wordsAboutAnOldBallotAreDropped() {
        promised();
        stored();
        ViewId old = id(1, 9, 1);
        int raised = layer.raised.size();
        receive(1, Control.wait(old, List.of(m(1)), "old"));
        receive(1, Control.note(MembershipMessage.INSTALL, old));
        receive(1, Control.note(MembershipMessage.ACCEPTED, old));
        receive(1, Control.learn(old, new PrimaryChain.Primary(id(9, 1, 3), 5, List.of(1L))));
        assertThat(layer.raised).hasSize(raised);
        assertThat(stores()).hasSize(1);
    }

    // ------------------------------------------------------------------ lies

    private static PrimaryChain.Primary primary(ViewId id, long epoch) {
        return new PrimaryChain.Primary(id, epoch, List.of(1L));
    }

    private void refuses(int from, Packet message) {
        layer.takeDropped();
        int stored = stores().size();
        receive(from, message);
        turn();
        assertThat(layer.takeDropped()).containsExactly(DropReason.IMPLAUSIBLE);
        assertThat(stores()).hasSize(stored);
    }

    @Test
    void decidedViewThatCannotBeIsNotLearned() {
        ViewId ballot = promised();
        stored();
        refuses(1, Control.learn(ballot, primary(id(ballot.number() + 1, 1, 3), 5)));
        refuses(1, Control.learn(ballot, primary(id(1, 1, 3), -1)));
        refuses(1, Control.learn(ballot, primary(id(1, 1, 3), Authority.NUMBER_MAX + 1)));
    }

    @Test
    void viewThatNobodyCanHaveOnRecordYetIsRefused() {
        ViewId ballot = promised();
        stored();
        refuses(3, Control.note(MembershipMessage.RECORDED, id(ballot.number() + 1, 1, 2)));
    }

    @Test
    void voteThatCannotBeIsRefused() {
        layer = layer(1);
        open(2, 3);
        turn();
        loaded(null);
        advert(2, 1);
        advert(3, 1);
        turn();
        layer.advance(TIMING.mergeDelayNanos());
        ViewId ballot = layer.takeRaised(Signal.ViewChange.Freeze.class).getLast().ballot();
        layer.signalDown(new Signal.ViewChange.Frozen(ballot, new TreeMap<>()));
        stored();
        PrimaryChain.Primary past = PrimaryChain.founding(FOUNDERS);
        ViewId later = id(ballot.number() + 1, 1, 2);
        refuses(2, vote(ballot, new PrimaryChain.Vote(7, primary(later, 1), null)));
        refuses(2, vote(ballot, new PrimaryChain.Vote(7, primary(id(1, 1, 2), -1), null)));
        refuses(2, vote(ballot, new PrimaryChain.Vote(7, primary(id(1, 1, 2), Authority.NUMBER_MAX + 1), null)));
        PrimaryChain.Proposal proposal = new PrimaryChain.Proposal(later, proposed(ballot, founding()), List.of(2L, 2L, 2L));
        refuses(2, vote(ballot, new PrimaryChain.Vote(7, past, proposal)));
        receive(2, vote(ballot, new PrimaryChain.Vote(7, past, null)));
        receive(3, vote(ballot, new PrimaryChain.Vote(8, past, null)));
        assertThat(layer.takeDropped()).isEmpty();
        assertThat(kindsTo(2)).contains(MembershipMessage.PROPOSE);
    }

    private Packet vote(ViewId ballot, PrimaryChain.Vote vote) {
        Member from = m(vote.voter() == 8 ? 3 : 2);
        return Control.ack(ballot, new Ballot.Answer(View.alone(from), new TreeMap<>(), vote), false);
    }

    // ------------------------------------------------------------------ leaving

    @Test
    void leaveTimerThatGoesOffEarlyDoesNothing() {
        promised();
        layer.fire(MembershipTimer.LEAVE);
        assertThat(layer.lowered).noneMatch(signal -> signal instanceof Signal.Departure.Left);
    }

    @Test
    void newcomerThatNobodyNeedsLeavesAtOnce() {
        open(1);
        turn();
        loaded(null);
        layer.signalDown(new Signal.Departure.Leave());
        assertThat(layer.lowered).anyMatch(signal -> signal instanceof Signal.Departure.Left);
    }

    @Test
    void memberThatMayBecomeAVoterTellsAllThatItLeavesAndWaitsUntilItIsReleased() {
        promised();
        stored();
        receive(1, Control.message(MembershipMessage.RELEASED, 1));
        assertThat(hasLeft()).as("released before it leaves").isFalse();
        layer.signalDown(new Signal.Departure.Leave());
        turn();
        assertThat(kindsTo(1)).contains(MembershipMessage.LEAVING);
        assertThat(kindsTo(3)).contains(MembershipMessage.LEAVING);
        assertThat(hasLeft()).isFalse();
        receive(1, Control.message(MembershipMessage.RELEASED, 1));
        assertThat(layer.lowered).contains(new Signal.Departure.Left("left"));
    }

    @Test
    void memberThatIsNotReleasedInTimeLeavesAndSaysSo() {
        promised();
        stored();
        layer.signalDown(new Signal.Departure.Leave());
        turn();
        layer.fire(MembershipTimer.LEAVE);
        assertThat(layer.lowered).anyMatch(
                signal -> signal instanceof Signal.Departure.Left left && left.reason().contains("without the consent"));
    }

    @Test
    void newcomerWhoseBallotFoundNoMajorityLeavesAtOnce() {
        ViewId ballot = promised();
        stored();
        receive(1, Control.wait(ballot, List.of(m(1), m(2)), "waits for n3"));
        layer.signalDown(new Signal.Departure.Leave());
        assertThat(hasLeft()).isTrue();
    }

    @Test
    void memberTellsTheCoordinatorWhenItHasTheViewOnRecord() {
        ViewId ballot = promised();
        stored();
        receive(1, Control.propose(ballot, proposed(ballot, founding()), new long[] {2, 2, 2}, new TreeMap<>(), true));
        up(new Signal.ViewChange.Flushed(ballot));
        stored();
        receive(1, Control.note(MembershipMessage.INSTALL, ballot));
        assertThat(kindsTo(1)).doesNotContain(MembershipMessage.RECORDED);
        stored();
        assertThat(kindsTo(1)).contains(MembershipMessage.RECORDED);
    }

    private boolean hasLeft() {
        return layer.lowered.stream().anyMatch(signal -> signal instanceof Signal.Departure.Left);
    }

    @Test
    void everyKindOfMessageSurvivesBeingCutShort() {
        ViewId ballot = promised();
        stored();
        List<Packet> messages = List.of(
                Control.propose(ballot, proposed(ballot, founding()), new long[] {2, 2, 2}, new TreeMap<>(), true),
                Control.note(MembershipMessage.ACCEPTED, ballot),
                Control.note(MembershipMessage.INSTALL, ballot),
                Control.learn(ballot, new PrimaryChain.Primary(id(9, 1, 3), 5, List.of(1L, 2L))),
                Control.wait(ballot, List.of(m(1), m(2)), "waits"),
                Control.note(MembershipMessage.RECORDED, ballot));
        for (Packet message : messages) {
            for (int length = 1; length < message.length(); length++) {
                byte[] bytes = new byte[length];
                message.bytes().get(message.offset(), bytes);
                receive(1, Packet.create(Memory.onHeap(), length).append(bytes, 0, length));
            }
        }
        assertThat(stores()).hasSize(1);
        assertThat(layer.raised).noneMatch(PrimaryPartitionTest::isPrimary);
    }
}
