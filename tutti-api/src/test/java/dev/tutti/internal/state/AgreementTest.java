package dev.tutti.internal.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.internal.state.Cut.Verdict;
import dev.tutti.protocols.node.GroupSettings.StateOf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Members with the state, view by view. The test is the network, which delivers the messages of a view in it or never.
 */
class AgreementTest {

    private static Member member(int number) {
        return new Member(new NodeId(number, "n" + number, "n" + number + ":1"), 1);
    }

    /** One member's agreement, with its messages in the view. */
    private static final class Party implements Agreement.Owner {
        final Member self;
        final Agreement agreement;
        final List<StateRecord> said = new ArrayList<>();
        final List<String> lost = new ArrayList<>();
        TreeSet<Member> lacking = new TreeSet<>();
        @Nullable Cut cut;

        Party(int number, StateOf policy) {
            self = member(number);
            agreement = new Agreement(policy, this);
            cut = agreement.onView(View.alone(self));
        }

        @Override
        public void sendToAll(StateRecord statement) {
            said.add(statement);
        }

        @Override
        public void onTarget(@Nullable Cut target) {}

        @Override
        public void onSettled(Cut settled) {}

        @Override
        public void onLacking(TreeSet<Member> members) {
            lacking = members;
        }

        @Override
        public void onLost(String reason) {
            lost.add(reason);
        }

        Cut present() {
            if (cut == null) {
                throw new IllegalStateException("no view");
            }
            return cut;
        }

        @Nullable Verdict verdict() {
            return present().decisive().verdict();
        }

        void getState() {
            Cut target = agreement.target();
            assertThat(target).isNotNull();
            assertThat(agreement.onInstalling(target)).isTrue();
            assertThat(agreement.onInstalled(target)).isTrue();
        }
    }

    private long number = 1;

    private static Party[] parties(StateOf policy, int count) {
        Party[] parties = new Party[count];
        for (int index = 0; index < count; index++) {
            parties[index] = new Party(index + 1, policy);
        }
        return parties;
    }

    /** Puts these into a view in which they have not yet sent a message. */
    private void install(Party... parties) {
        install(0, parties);
    }

    /** The same, of a primary view. */
    private void install(long epoch, Party... parties) {
        number++;
        ViewId id = new ViewId(number, 1, parties[0].self);
        List<Member> members = Arrays.stream(parties).map(party -> party.self).toList();
        TreeMap<ViewId, List<Member>> sides = new TreeMap<>();
        for (Party party : parties) {
            sides.computeIfAbsent(party.present().view().id(), key -> new ArrayList<>()).add(party.self);
        }
        List<View.Part> parts = new ArrayList<>();
        sides.forEach((previous, side) -> parts.add(new View.Part(previous, side, new TreeMap<>())));
        View.Primary primary = epoch == 0
                ? null
                : new View.Primary(epoch, id, members.stream().map(each -> each.node().incarnation()).toList(), List.of());
        View view = new View(id, members, parts, primary);
        for (Party party : parties) {
            party.said.clear();
            party.cut = party.agreement.onView(view);
        }
    }

    /** Delivers the messages of the view to all; the messages of all or only of some. */
    private static void deliver(List<Party> speakers, Party... parties) {
        for (Party speaker : speakers) {
            List<StateRecord> said = List.copyOf(speaker.said);
            speaker.said.clear();
            for (StateRecord record : said) {
                for (Party party : parties) {
                    switch (record) {
                        case StateRecord.Status status -> party.agreement.onStatus(speaker.self, status);
                        case StateRecord.Have have -> party.agreement.onHave(speaker.self, have);
                        default -> throw new IllegalStateException("said to all: " + record);
                    }
                }
            }
        }
    }

    private static void deliverAll(Party... parties) {
        deliver(List.of(parties), parties);
    }

    /** Returns a view of all members in which one was the first, and all have the state. */
    private void begin(Party... parties) {
        install(parties);
        deliverAll(parties);
        for (Party party : parties) {
            if (party.verdict() instanceof Verdict.Install) {
                party.getState();
            }
        }
        deliverAll(parties);
        assertThat(parties).allMatch(party -> party.lacking.isEmpty());
    }

    @Test
    void whoIsAloneBeginsWhenNobodyWasFound() {
        Party one = new Party(1, StateOf.LARGEST);
        assertThat(one.verdict()).isNull();
        one.agreement.onJoined();
        assertThat(one.verdict()).isInstanceOf(Verdict.Keep.class);
    }

    @Test
    void oldestOfThoseWhoStartTogetherBegins() {
        Party[] all = parties(StateOf.LARGEST, 3);
        install(all);
        deliverAll(all);
        assertThat(all[0].verdict()).isEqualTo(new Verdict.Keep(List.of(all[1].self, all[2].self)));
        assertThat(all[1].verdict()).isEqualTo(new Verdict.Install());
        assertThat(all[1].present().holders()).containsExactly(all[0].self);
    }

    /** A newcomer may rank before the member that has been there alone: it has nothing. */
    @Test
    void stateIsThatOfTheMemberThatHasOneWhateverItsRank() {
        Party newcomer = new Party(1, StateOf.LARGEST);
        Party present = new Party(2, StateOf.LARGEST);
        present.agreement.onJoined();
        install(newcomer, present);
        deliverAll(newcomer, present);
        assertThat(present.verdict()).isInstanceOf(Verdict.Keep.class);
        assertThat(newcomer.present().holders()).containsExactly(present.self);
    }

    @Test
    void nothingIsDecidedBeforeAllHaveSpoken() {
        Party[] all = parties(StateOf.LARGEST, 3);
        install(all);
        deliver(List.of(all[0], all[1]), all);
        assertThat(all).allMatch(party -> party.verdict() == null);
        deliver(List.of(all[2]), all);
        assertThat(all).allMatch(party -> party.verdict() != null);
    }

    @Test
    void whoGetsTheStateCountsFromWhereItsWordIsDelivered() {
        Party[] all = parties(StateOf.LARGEST, 2);
        install(all);
        deliverAll(all);
        all[1].getState();
        assertThat(all[0].lacking).containsExactly(all[1].self);
        deliverAll(all);
        assertThat(all[0].lacking).isEmpty();
        assertThat(all[1].lacking).isEmpty();
    }

    /** Its message was not delivered in the view in which it was sent: the member repeats it in the next. */
    @Test
    void wordThatAViewChangeHasCutOffIsSaidAgain() {
        Party[] all = parties(StateOf.LARGEST, 3);
        begin(all[0], all[1]);
        install(all);
        deliverAll(all);
        all[2].getState();
        install(all[0], all[2]);
        assertThat(all[2].said).hasSize(1).first().isInstanceOf(StateRecord.Have.class);
        deliverAll(all[0], all[2]);
        assertThat(all[0].lacking).isEmpty();
    }

    @Test
    void crashOfTheOthersDuringTheExchangeStartsItAnew() {
        Party[] all = parties(StateOf.LARGEST, 4);
        begin(all[0], all[1], all[2]);
        install(all);
        deliver(List.of(all[0]), all);
        Cut first = all[2].present();
        install(all[1], all[2], all[3]);
        assertThat(first.verdict()).isEqualTo(new Verdict.Superseded(all[2].present()));
        deliverAll(all[1], all[2], all[3]);
        assertThat(all[1].verdict()).isEqualTo(new Verdict.Keep(List.of(all[3].self)));
        assertThat(all[3].present().holders()).containsExactly(all[1].self, all[2].self);
    }

    @Test
    void largestSidesStateGoesOn() {
        Party[] all = parties(StateOf.LARGEST, 5);
        begin(all);
        install(all[0], all[1]);
        install(all[2], all[3], all[4]);
        install(all);
        deliverAll(all);
        assertThat(all[0].verdict()).isInstanceOf(Verdict.Install.class);
        assertThat(all[1].verdict()).isInstanceOf(Verdict.Install.class);
        assertThat(all[2].verdict()).isEqualTo(new Verdict.Keep(List.of(all[0].self, all[1].self)));
        assertThat(all[0].present().holders()).containsExactly(all[2].self, all[3].self, all[4].self);
    }

    @Test
    void oldestSidesStateGoesOnIfThatWasChosen() {
        Party[] all = parties(StateOf.OLDEST, 5);
        begin(all);
        install(all[0], all[1]);
        install(all[2], all[3], all[4]);
        install(all);
        deliverAll(all);
        assertThat(all[0].verdict()).isInstanceOf(Verdict.Keep.class);
        assertThat(all[4].verdict()).isInstanceOf(Verdict.Install.class);
    }

    @Test
    void stateOfTheLatestPrimaryViewGoesOnThoughMoreHaveAnOlderOne() {
        Party[] all = parties(StateOf.PRIMARY, 5);
        install(1, all);
        deliverAll(all);
        for (Party party : all) {
            if (party.verdict() instanceof Verdict.Install) {
                party.getState();
            }
        }
        deliverAll(all);
        // Three go on without two, and two of the three leave.
        install(2, all[2], all[3], all[4]);
        install(3, all[2], all[3]);
        install(4, all[2]);
        install(5, all[0], all[1], all[2]);
        deliverAll(all[0], all[1], all[2]);
        assertThat(all[2].verdict()).isEqualTo(new Verdict.Keep(List.of(all[0].self, all[1].self)));
        assertThat(all[0].verdict()).isInstanceOf(Verdict.Install.class);
    }

    @Test
    void primaryViewInWhichNothingWasAgreedDoesNotMakeAStateLater() {
        Party[] all = parties(StateOf.PRIMARY, 4);
        install(1, all[0], all[1], all[2]);
        deliverAll(all[0], all[1], all[2]);
        for (Party party : List.of(all[0], all[1], all[2])) {
            if (party.verdict() instanceof Verdict.Install) {
                party.getState();
            }
        }
        deliverAll(all[0], all[1], all[2]);
        install(2, all[1], all[2]);
        install(3, all[1], all[2], all[0]);
        install(4, all[0], all[1]);
        deliverAll(all[0], all[1]);
        assertThat(all[1].verdict()).isInstanceOf(Verdict.Keep.class);
        assertThat(all[0].verdict()).isInstanceOf(Verdict.Install.class);
    }

    @Test
    void eachSideKeepsItsOwnIfThatWasChosenAndNewcomersGetOne() {
        Party[] all = parties(StateOf.EACH, 4);
        begin(all[0], all[1], all[2]);
        install(all[0]);
        install(all[1], all[2]);
        install(all);
        deliverAll(all);
        assertThat(all[0].verdict()).isInstanceOf(Verdict.Keep.class);
        assertThat(all[1].verdict()).isInstanceOf(Verdict.Keep.class);
        assertThat(all[3].verdict()).isInstanceOf(Verdict.Install.class);
        assertThat(all[3].present().holders()).containsExactly(all[1].self, all[2].self);
    }

    /** The winner dies before the losers have begun to overwrite what they have: they go on with it. */
    @Test
    void whatWasGivenUpAndNotLostGoesOnWhenNobodyHasTheOther() {
        Party[] all = parties(StateOf.LARGEST, 5);
        begin(all);
        install(all[0], all[1]);
        install(all[2], all[3], all[4]);
        install(all);
        deliverAll(all);
        install(all[0], all[1]);
        deliverAll(all[0], all[1]);
        assertThat(all[0].verdict()).isInstanceOf(Verdict.Keep.class);
        assertThat(all[1].verdict()).isInstanceOf(Verdict.Keep.class);
        assertThat(all[1].agreement.target()).isNull();
    }

    @Test
    void largestOfThoseThatWereGivenUpGoesOn() {
        Party[] all = parties(StateOf.LARGEST, 6);
        begin(all);
        install(all[0]);
        install(all[1], all[2]);
        install(all[3], all[4], all[5]);
        install(all);
        deliverAll(all);
        assertThat(all[3].verdict()).isInstanceOf(Verdict.Keep.class);
        install(all[0], all[1], all[2]);
        deliverAll(all[0], all[1], all[2]);
        assertThat(all[1].verdict()).isEqualTo(new Verdict.Keep(List.of(all[0].self)));
        assertThat(all[0].verdict()).isInstanceOf(Verdict.Install.class);
        assertThat(all[0].present().holders()).containsExactly(all[1].self, all[2].self);
        // And those two, before the last one has it: it still has its own.
        install(all[0]);
        deliverAll(all[0]);
        assertThat(all[0].verdict()).isInstanceOf(Verdict.Keep.class);
    }

    /** A member that was found there with a state of its own is one more side, and does not always win. */
    @Test
    void whoWaitsForWhatIsGoneCountsWithWhatItHas() {
        Party[] all = parties(StateOf.LARGEST, 6);
        begin(all[0], all[1], all[2], all[3], all[4]);
        install(all[0], all[1]);
        install(all[2], all[3], all[4]);
        install(all[0], all[1], all[2], all[3], all[4]);
        deliverAll(all[0], all[1], all[2], all[3], all[4]);
        all[5].agreement.onJoined();
        install(all[0], all[1], all[5]);
        deliverAll(all[0], all[1], all[5]);
        assertThat(all[0].verdict()).isEqualTo(new Verdict.Keep(List.of(all[5].self)));
        assertThat(all[5].verdict()).isInstanceOf(Verdict.Install.class);
    }

    @Test
    void newcomersBeginAnewWhenNobodyHasAnythingAnyMore() {
        Party[] all = parties(StateOf.LARGEST, 3);
        all[0].agreement.onJoined();
        install(all);
        deliverAll(all);
        install(all[1], all[2]);
        deliverAll(all[1], all[2]);
        assertThat(all[1].verdict()).isEqualTo(new Verdict.Keep(List.of(all[2].self)));
        assertThat(all[2].verdict()).isInstanceOf(Verdict.Install.class);
        assertThat(all[1].lost).isEmpty();
    }

    @Test
    void whoHasAllOfAStateHasItFromTheMomentThatItsOwnIsReplaced() {
        Party[] all = parties(StateOf.LARGEST, 2);
        all[0].agreement.onJoined();
        install(all);
        deliverAll(all);
        Cut target = all[1].agreement.target();
        assertThat(target).isNotNull();
        assertThat(all[1].agreement.onReplacing(target)).isTrue();
        install(all[1]);
        assertThat(all[1].verdict()).isNull();
        deliverAll(all[1]);
        assertThat(all[1].verdict()).isInstanceOf(Verdict.Keep.class);
    }

    /** The primary view in which the state was given up does not count for it. */
    @Test
    void whatWasGivenUpIsAsOldAsItWasThen() {
        Party[] all = parties(StateOf.PRIMARY, 5);
        install(1, all);
        deliverAll(all);
        for (Party party : all) {
            if (party.verdict() instanceof Verdict.Install) {
                party.getState();
            }
        }
        deliverAll(all);
        install(2, all[1], all[2], all[3], all[4]);
        install(3, all[2], all[3], all[4]);
        install(all[2]);
        // The first comes back, behind all others; they go, and so do those two that are not that far behind.
        install(4, all[0], all[3], all[4]);
        deliverAll(all[0], all[3], all[4]);
        assertThat(all[0].verdict()).isInstanceOf(Verdict.Install.class);
        install(all[0]);
        deliverAll(all[0]);
        assertThat(all[0].verdict()).isInstanceOf(Verdict.Keep.class);
        install(5, all[0], all[2], all[1]);
        deliverAll(all[0], all[2], all[1]);
        assertThat(all[2].verdict()).isInstanceOf(Verdict.Keep.class);
        assertThat(all[0].verdict()).isInstanceOf(Verdict.Install.class);
    }

    @Test
    void whoHasBegunToOverwriteItsStateAndCantGetAnotherIsLost() {
        Party[] all = parties(StateOf.LARGEST, 2);
        all[0].agreement.onJoined();
        install(all);
        deliverAll(all);
        Cut target = all[1].agreement.target();
        assertThat(target).isNotNull();
        assertThat(all[1].agreement.onInstalling(target)).isTrue();
        install(all[1]);
        deliverAll(all[1]);
        assertThat(all[1].lost).hasSize(1);
    }

    @Test
    void nobodyBeginsToOverwriteWhatOthersMayCountOn() {
        Party[] all = parties(StateOf.LARGEST, 3);
        all[0].agreement.onJoined();
        install(all[0], all[1]);
        deliverAll(all[0], all[1]);
        Cut target = all[1].agreement.target();
        assertThat(target).isNotNull();
        install(all);
        assertThat(all[1].agreement.onInstalling(target)).as("while the view is not settled").isFalse();
        deliverAll(all);
        assertThat(all[1].agreement.onInstalling(target)).isTrue();
    }

    /** It continues with the cut that it has begun with. */
    @Test
    void newcomerIsNotDisturbedByTheNext() {
        Party[] all = parties(StateOf.LARGEST, 3);
        all[0].agreement.onJoined();
        install(all[0], all[1]);
        deliverAll(all[0], all[1]);
        Cut target = all[1].agreement.target();
        install(all);
        deliverAll(all);
        assertThat(all[1].verdict()).isEqualTo(new Verdict.Pass());
        assertThat(all[1].agreement.target()).isSameAs(target);
        assertThat(all[0].verdict()).isEqualTo(new Verdict.Keep(List.of(all[1].self, all[2].self)));
    }

    /** It has all of the state when the view is settled, although its status says that it is still getting it. */
    @Test
    void newcomerThatIsDoneBetweenItsStatusAndTheVerdictGetsNothingTwice() {
        Party[] all = parties(StateOf.LARGEST, 3);
        all[0].agreement.onJoined();
        install(all[0], all[1]);
        deliverAll(all[0], all[1]);
        assertThat(all[1].agreement.onInstalling(all[1].present())).isTrue();
        install(all);
        assertThat(all[1].agreement.onInstalled(all[0].present())).as("the cut of an earlier view").isFalse();
        Cut target = all[1].agreement.target();
        assertThat(target).isNotNull();
        assertThat(all[1].agreement.onInstalled(target)).isTrue();
        deliverAll(all);
        assertThat(all[1].verdict()).isEqualTo(new Verdict.Pass());
        assertThat(all[1].agreement.target()).isNull();
        assertThat(all[1].present().holders()).containsExactly(all[0].self);
        deliver(List.of(all[1]), all);
        assertThat(all[0].lacking).containsExactly(all[2].self);
    }

    /** The state of another side goes on: it is no use that all of this one is there. */
    @Test
    void newcomerThatIsDoneWithAStateThatEndsGetsTheOther() {
        Party[] all = parties(StateOf.LARGEST, 5);
        begin(all[2], all[3], all[4]);
        all[0].agreement.onJoined();
        install(all[0], all[1]);
        deliverAll(all[0], all[1]);
        Cut target = all[1].agreement.target();
        assertThat(target).isNotNull();
        assertThat(all[1].agreement.onInstalling(target)).isTrue();
        install(all);
        assertThat(all[1].agreement.onInstalled(target)).isTrue();
        deliverAll(all);
        assertThat(all[1].verdict()).isEqualTo(new Verdict.Install());
        assertThat(all[1].agreement.target()).isSameAs(all[1].present());
    }
}
