package dev.tutti.protocols.membership;

import static dev.tutti.protocols.membership.MembershipTimer.BACK_OFF;
import static dev.tutti.protocols.membership.MembershipTimer.PROGRESS;
import static dev.tutti.protocols.membership.MembershipScene.TIMING;
import static dev.tutti.protocols.membership.MembershipScene.id;
import static dev.tutti.protocols.membership.MembershipScene.m;
import static dev.tutti.protocols.membership.MembershipScene.members;
import static dev.tutti.protocols.membership.MembershipScene.part;
import static dev.tutti.protocols.membership.MembershipScene.steady;
import static dev.tutti.protocols.membership.MembershipScene.vector;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The coordinator's rows of the transition table: when a ballot starts, restarts, completes others, decides, ends. */
class BallotTableTest {

    /** Time to wait for members of a view that disagree on its members. */
    private static final long DISAGREEMENT_NANOS = 300_000_000;

    /** Member 1, coordinator of 2.1@n1 = {1, 2, 3}. */
    private final MembershipScene first = steady(1, 1, 2, 3);

    /** Gives the coordinator an advert of a member in its view. */
    private void says(int from, ViewId promised, List<Member> heard, List<Member> lost) {
        first.advert(m(from), first.view, promised, m(1), heard, lost);
        first.turn();
    }

    /** A ballot, {@code 3.1@n1}, because a member reports a lost session; only the own answer is there. */
    private ViewId runBallot() {
        says(2, first.view.id(), members(1, 2, 3), members(3));
        first.frozen(vector(1, 4, 2, 2, 3, 1));
        return id(3, 1, 1);
    }

    @Nested
    class Starts {

        @Test
        void whenAMemberIsGone_a() {
            first.close(m(3));
            says(2, first.view.id(), members(1, 2), members(3));
            assertThat(first.ballotMessages()).containsExactly("PREPARE 3.1@n1 to n2");
            assertThat(first.state()).isEqualTo("answered");
        }

        @Test
        void withAMessageThatIsInMemoryOnce() {
            says(2, first.view.id(), members(1, 2, 3), members(3));
            List<Packet> sent = first.layer.takeSent();
            assertThat(sent).hasSize(2);
            assertThat(sent.get(0).bytes()).isSameAs(sent.get(1).bytes());
            sent.forEach(Packet::release);
        }

        @Test
        void whenAMemberHasPromisedAnotherBallot_b() {
            says(2, id(3, 4, 2), members(1, 2, 3), List.of());
            assertThat(first.ballotMessages()).containsExactly("PREPARE 3.5@n1 to n2", "PREPARE 3.5@n1 to n3");
        }

        @Test
        void whenAMemberHasLostAnother_c() {
            says(2, first.view.id(), members(1, 2, 3), members(3));
            assertThat(first.ballotMessages()).containsExactly("PREPARE 3.1@n1 to n2", "PREPARE 3.1@n1 to n3");
        }

        @Test
        void withANumberAboveEveryViewOfTheCandidates() {
            first.open(m(4));
            View ahead = new View(id(9, 1, 4), members(4), List.of());
            first.advert(m(4), ahead, id(9, 1, 4), m(1), members(1, 2, 3, 4), List.of());
            says(2, first.view.id(), members(1, 2, 3, 4), List.of());
            says(3, first.view.id(), members(1, 2, 3, 4), List.of());
            first.layer.advance(TIMING.mergeDelayNanos());
            assertThat(first.ballotMessages()).first().isEqualTo("PREPARE 10.1@n1 to n2");
        }

        @Test
        void aloneItDecidesAtOnce() {
            first.close(m(2));
            first.close(m(3));
            first.turn();
            first.frozen(vector(1, 4, 2, 2));
            assertThat(first.layer.takeRaised(Signal.ViewChange.Flush.class)).hasSize(1);
            first.reached(id(3, 1, 1));
            assertThat(first.view.members()).isEqualTo(members(1));
            assertThat(first.state()).isEqualTo("steady");
        }

        @Test
        void onlyByTheCoordinator() {
            MembershipScene second = steady(2, 1, 2, 3);
            second.close(m(3));
            second.turn();
            second.layer.advance(TIMING.ballotTimeoutNanos());
            assertThat(second.ballotMessages()).isEmpty();
            assertThat(second.count("ballots-started")).isZero();
        }

        @Test
        void withoutThoseWhoDoNotHearEachOther() {
            // 3 does not hear 2: in rank order the older one stays.
            says(2, first.view.id(), members(1, 2), members(3));
            says(3, first.view.id(), members(1, 3), members(2));
            first.layer.advance(DISAGREEMENT_NANOS);
            assertThat(first.ballotMessages()).contains("PREPARE 3.1@n1 to n2").noneMatch(text -> text.endsWith("n3"));
        }

        @Test
        void withoutOneThatDoesNotHearAnOlderMemberThatHearsIt() {
            // Only 3 has lost the session: with both in the view, 3 would never get what 2 sends.
            says(2, first.view.id(), members(1, 2, 3), List.of());
            says(3, first.view.id(), members(1, 3), members(2));
            first.layer.advance(DISAGREEMENT_NANOS);
            assertThat(first.ballotMessages()).contains("PREPARE 3.1@n1 to n2").noneMatch(text -> text.endsWith("n3"));
        }
    }

    @Nested
    class Restarts {

        @Test
        void whenACandidateIsGone_a() {
            ViewId ballot = runBallot();
            first.ballotMessages();
            first.close(m(3));
            says(2, ballot, members(1, 2), members(3));
            assertThat(first.ballotMessages()).containsExactly("PREPARE 3.2@n1 to n2");
        }

        @Test
        void whenACandidateHasPromisedAboveTheBallot_b() {
            runBallot();
            first.ballotMessages();
            says(2, id(3, 1, 2), members(1, 2, 3), List.of());
            assertThat(first.ballotMessages()).containsExactly("PREPARE 3.2@n1 to n2", "PREPARE 3.2@n1 to n3");
        }

        @Test
        void whenOneThatHasAnsweredHasLostAnotherSince_c() {
            ViewId ballot = runBallot();
            first.ack(m(2), ballot, first.view, vector());
            says(2, ballot, members(1, 2, 3), List.of());
            first.ballotMessages();
            says(2, ballot, members(1, 2, 3), members(3));
            assertThat(first.ballotMessages()).containsExactly("PREPARE 3.2@n1 to n2", "PREPARE 3.2@n1 to n3");
        }

        @Test
        void notForALossThatCameBeforeTheAnswer_c() {
            runBallot();
            first.ballotMessages();
            says(3, first.view.id(), members(1, 2, 3), members(2));
            assertThat(first.ballotMessages()).isEmpty();
        }

        @Test
        void notForANewcomerWhichTheNextOneTakes() {
            ViewId ballot = runBallot();
            first.ballotMessages();
            first.open(m(4));
            first.advert(m(4), View.alone(m(4)), id(1, 1, 4), m(1), members(1, 2, 3, 4), List.of());
            says(2, ballot, members(1, 2, 3, 4), List.of());
            says(3, ballot, members(1, 2, 3, 4), List.of());
            assertThat(first.ballotMessages()).isEmpty();
            first.ack(m(2), ballot, first.view, vector());
            first.ack(m(3), ballot, first.view, vector());
            first.reached(ballot);
            says(2, ballot, members(1, 2, 3, 4), List.of());
            first.forget();
            first.advert(m(2), first.view, ballot, m(1), members(1, 2, 3, 4), List.of());
            says(3, ballot, members(1, 2, 3, 4), List.of());
            first.layer.advance(TIMING.mergeDelayNanos());
            assertThat(first.ballotMessages())
                    .filteredOn(text -> text.startsWith("PREPARE"))
                    .containsExactly("PREPARE 4.1@n1 to n2", "PREPARE 4.1@n1 to n3", "PREPARE 4.1@n1 to n4");
        }

        @Test
        void answersToTheOldBallotAreDropped() {
            ViewId ballot = runBallot();
            says(2, id(3, 1, 2), members(1, 2, 3), List.of());
            first.ack(m(2), ballot, first.view, vector());
            assertThat(first.layer.takeDropped()).containsExactly(DropReason.OLD_BALLOT);
        }
    }

    @Nested
    class Answers {

        @Test
        void decideWhenAllAreIn() {
            ViewId ballot = runBallot();
            first.ballotMessages();
            first.ack(m(2), ballot, first.view, vector(1, 3, 2, 5, 3, 1));
            assertThat(first.ballotMessages()).isEmpty();
            first.ack(m(3), ballot, first.view, vector(1, 4, 2, 2, 3, 6));
            assertThat(first.ballotMessages())
                    .containsExactly(
                            "CUT 3.1@n1 view 3.1@n1 [n1, n2, n3] part 2.1@n1[n1, n2, n3]{n1=4, n2=5, n3=6} n1@n1 n2@n2 n3@n3 to n2",
                            "CUT 3.1@n1 view 3.1@n1 [n1, n2, n3] part 2.1@n1[n1, n2, n3]{n1=4, n2=5, n3=6} n1@n1 n2@n2 n3@n3 to n3");
            assertThat(first.layer.takeRaised(Signal.ViewChange.Flush.class))
                    .singleElement()
                    .satisfies(reach -> assertThat(reach.cut()).isEqualTo(vector(1, 4, 2, 5, 3, 6)));
            assertThat(first.state()).isEqualTo("catching-up");
        }

        @Test
        void cutsHaveTheDepartedSendersPackets_D2() {
            first.close(m(3));
            says(2, first.view.id(), members(1, 2), members(3));
            first.frozen(vector(1, 0, 2, 0, 3, 1));
            first.ballotMessages();
            first.ack(m(2), id(3, 1, 1), first.view, vector(1, 0, 2, 0));
            assertThat(first.ballotMessages())
                    .containsExactly("CUT 3.1@n1 view 3.1@n1 [n1, n2] part 2.1@n1[n1, n2]{n3=1} n3@n1 to n2");
        }

        @Test
        void ofAnotherBallotOrAStrangerAreDropped() {
            ViewId ballot = runBallot();
            first.ack(m(2), id(3, 0, 1), first.view, vector());
            first.open(m(5));
            first.ack(m(5), ballot, View.alone(m(5)), vector());
            assertThat(first.layer.takeDropped()).containsExactly(DropReason.OLD_BALLOT, DropReason.OLD_BALLOT);
        }

        @Test
        void withoutABallotAreDropped() {
            first.ack(m(2), id(2, 1, 1), first.view, vector());
            assertThat(first.layer.takeDropped()).containsExactly(DropReason.OLD_BALLOT);
        }

        @Test
        void aMergeHasAPartPerView() {
            first.open(m(4));
            first.open(m(5));
            View other = new View(id(2, 1, 4), members(4, 5), List.of());
            List<Member> all = members(1, 2, 3, 4, 5);
            for (int from = 2; from <= 5; from++) {
                View of = from < 4 ? first.view : other;
                first.advert(m(from), of, of.id(), m(1), all, List.of());
            }
            first.turn();
            first.layer.advance(TIMING.mergeDelayNanos());
            first.frozen(vector(1, 1));
            first.ballotMessages();
            for (int from = 2; from <= 5; from++) {
                first.ack(m(from), id(3, 1, 1), from < 4 ? first.view : other, vector(from, from));
            }
            assertThat(first.ballotMessages())
                    .contains("CUT 3.1@n1 view 3.1@n1 [n1, n2, n3, n4, n5] part 2.1@n1[n1, n2, n3]{n1=1, n2=2, n3=3} "
                            + "part 2.1@n4[n4, n5]{n4=4, n5=5} n4@n4 n5@n5 to n5");
        }
    }

    @Nested
    class Refusals {

        @Test
        void endTheBallotAndTheNextOneIsHigherAfterAPause() {
            ViewId ballot = runBallot();
            first.ballotMessages();
            first.nack(m(2), ballot, id(8, 3, 2), 5, m(2));
            first.turn();
            assertThat(first.state()).as("stays frozen").isEqualTo("answered");
            assertThat(first.ballotMessages()).isEmpty();
            assertThat(first.layer.armedNanos(BACK_OFF)).isBetween(0L, 2_000_000L);
            first.layer.advance(2_000_000);
            assertThat(first.ballotMessages()).containsExactly("PREPARE 8.4@n1 to n2", "PREPARE 8.4@n1 to n3");
            assertThat(first.count("ballots-refused")).isEqualTo(1);
        }

        @Test
        void waitLongerFromTimeToTimeButNotForEver() {
            long longest = 0;
            for (int refusal = 0; refusal < 15; refusal++) {
                ViewId ballot = refusal == 0 ? runBallot() : id(3, refusal + 1, 1);
                first.nack(m(2), ballot, ballot, 2, m(1));
                first.turn();
                longest = Math.max(longest, first.layer.armedNanos(BACK_OFF));
                first.layer.advance(600_000_000);
                first.forget();
            }
            assertThat(first.count("ballots-refused")).isEqualTo(15);
            assertThat(longest).isBetween(100_000_000L, 512_000_000L);
        }

        @Test
        void ofOneMemberAgainAndAgainLeaveItOut() {
            for (int refusal = 0; refusal < 16; refusal++) {
                ViewId ballot = refusal == 0 ? runBallot() : id(3, refusal + 1, 1);
                first.nack(m(2), ballot, ballot, 2, m(1));
                first.turn();
                first.layer.advance(600_000_000);
            }
            assertThat(first.layer.takeLowered(Signal.Peer.Distrusted.class))
                    .singleElement()
                    .satisfies(told -> assertThat(told.reason()).contains("for 10 s", "refused 8 ballots"));
            assertThat(first.ballotMessages()).last().asString().startsWith("PREPARE").endsWith("to n3");
            assertThat(first.count("members-left-out")).isEqualTo(1);
        }

        @Test
        void ofAnOldBallotAreDropped() {
            runBallot();
            first.nack(m(2), id(3, 0, 1), id(9, 1, 2), 5, m(2));
            assertThat(first.layer.takeDropped()).containsExactly(DropReason.OLD_BALLOT);
            assertThat(first.count("ballots-refused")).isZero();
        }

        @Test
        void ofADecidedBallotLeaveItsTarget() {
            ViewId ballot = runBallot();
            first.ack(m(2), ballot, first.view, vector());
            first.nack(m(3), ballot, id(3, 4, 3), 2, m(1));
            first.turn();
            assertThat(first.state()).as("no target without its ballot").isEqualTo("answered");
        }
    }

    @Nested
    class AnotherCoordinator {

        @Test
        void endsTheOwnBallot() {
            // 2 leads {2, 3} and runs a ballot; the older 1 comes and asks for a higher one.
            MembershipScene second = steady(2, 2, 3);
            second.open(m(1));
            View older = new View(id(2, 1, 1), members(1, 9), List.of());
            second.advert(m(3), second.view, second.view.id(), m(2), members(1, 2, 3), members(2));
            second.turn();
            second.layer.advance(TIMING.holdBackNanos());
            assertThat(second.count("ballots-started")).isEqualTo(2);
            second.open(m(9));
            second.advert(m(1), older, older.id(), m(1), members(1, 2, 3, 9), List.of());
            second.listed(m(1), older);
            second.forget();
            second.prepare(m(1), id(7, 1, 1));
            second.frozen(vector());
            assertThat(second.ballotMessages()).containsExactly("ACK 7.1@n1 from 2.1@n2 {} to n1");
            second.ack(m(3), id(3, 1, 2), second.view, vector());
            assertThat(second.layer.takeDropped()).containsExactly(DropReason.OLD_BALLOT);
            assertThat(second.layer.armedNanos(PROGRESS)).isEqualTo(-1);
        }
    }

    @Nested
    class Installation {

        @Test
        void endsTheBallot() {
            ViewId ballot = runBallot();
            first.ack(m(2), ballot, first.view, vector());
            first.ack(m(3), ballot, first.view, vector());
            first.reached(ballot);
            assertThat(first.state()).isEqualTo("steady");
            assertThat(first.layer.armedNanos(PROGRESS)).isEqualTo(-1);
            first.ack(m(3), ballot, first.view, vector());
            assertThat(first.layer.takeDropped()).containsExactly(DropReason.OLD_BALLOT);
        }

        @Test
        void isAnnouncedOnce() {
            assertThat(first.count("views-installed")).isEqualTo(1);
            ViewId ballot = runBallot();
            first.ack(m(2), ballot, first.view, vector());
            first.ack(m(3), ballot, first.view, vector());
            first.reached(ballot);
            first.reached(ballot);
            assertThat(first.layer.takeRaised(Signal.ViewChange.Installed.class)).hasSize(1);
            assertThat(first.layer.takeLowered(Signal.ViewChange.Installed.class)).hasSize(1);
        }

        @Test
        void doesNotMakeThoseFollowWhoTurnedAwayBeforeTheyHadTheView() {
            ViewId ballot = bothAnswer();
            View before = first.view;
            first.reached(ballot);
            first.ballotMessages();
            first.advert(m(2), before, ballot, m(9), members(1, 2, 3, 9), List.of());
            first.advert(m(3), before, ballot, m(9), members(1, 2, 3, 9), List.of());
            first.turn();
            assertIsAloneNext();
        }

        @Test
        void doesNotMakeThoseFollowWhoTurnedAwayBeforeItsCoordinatorHadTheView() {
            ViewId ballot = bothAnswer();
            first.advert(m(2), first.view, ballot, m(9), members(1, 2, 3, 9), List.of());
            first.advert(m(3), first.view, ballot, m(9), members(1, 2, 3, 9), List.of());
            first.reached(ballot);
            assertIsAloneNext();
        }

        @Test
        void makesThoseYoungerWhoWereBelievedToBeOlder() {
            MembershipScene two = new MembershipScene(2);
            ViewId first = id(5, 1, 3);
            ViewId second = id(7, 1, 1);
            for (Member other : members(1, 3)) {
                two.open(other);
                two.advert(other, View.alone(other), id(1, 1, 1), m(1), members(1, 2, 3), List.of());
            }
            two.prepare(m(1), second);
            two.frozen(vector(2, 0));
            // Of the first view, which lists 1 too, only 2 has heard: 1 never comes to it.
            View all = new View(first, members(1, 2, 3), List.of());
            two.listed(m(3), all);
            View next = new View(second, members(2, 3, 1), List.of(
                    part(View.alone(m(2)).id(), members(2), vector()),
                    part(View.alone(m(1)).id(), members(1), vector()),
                    part(View.alone(m(3)).id(), members(3), vector())));
            two.cut(m(1), second, next, new long[] {5, 5, 7});
            two.reached(second);
            assertThat(two.layer.texts()).containsEntry("membership.follows", "n2");
        }

        private ViewId bothAnswer() {
            ViewId ballot = runBallot();
            first.open(m(9));
            first.advert(m(9), View.alone(m(9)), id(1, 1, 9), m(9), members(1, 2, 3, 9), List.of());
            first.ack(m(2), ballot, first.view, vector());
            first.ack(m(3), ballot, first.view, vector());
            return ballot;
        }

        private void assertIsAloneNext() {
            assertThat(first.state()).as("a ballot without them").isEqualTo("answered");
            first.frozen(vector());
            first.reached(first.layer.takeRaised(Signal.ViewChange.Flush.class).getLast().ballot());
            assertThat(first.view.members()).isEqualTo(members(1));
        }
    }

    @Test
    void decisionNeedsEveryAnswer() {
        Ballot ballot = new Ballot(id(2, 1, 1), members(1, 2), View.alone(m(1)));
        ballot.record(m(1), new Ballot.Answer(View.alone(m(1)), new TreeMap<>()));
        assertThat(ballot.missing()).isEqualTo(members(2));
        assertThatThrownBy(ballot::decide)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("n2 has not answered");
    }
}
