package dev.tutti.protocols.membership;

import static dev.tutti.protocols.membership.MembershipScene.TIMING;
import static dev.tutti.protocols.membership.MembershipScene.id;
import static dev.tutti.protocols.membership.MembershipScene.m;
import static dev.tutti.protocols.membership.MembershipScene.members;
import static dev.tutti.protocols.membership.MembershipScene.part;
import static dev.tutti.protocols.membership.MembershipScene.steady;
import static dev.tutti.protocols.membership.MembershipScene.vector;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.LayerTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Every row of the view change's transition table (docs/design/membership.md): state, event, guard, action. */
class MembershipTableTest {

    private static final ViewId BALLOT = id(6, 1, 1);

    /** Member 2 of 5.1@n1 = {1, 2, 3}, with 1 for its coordinator. */
    private final MembershipScene member = steady(2, 1, 2, 3);

    private View next(ViewId ballot, TreeMap<Member, Long> cut) {
        return new View(ballot, members(1, 2, 3), List.of(part(member.view.id(), members(1, 2, 3), cut)));
    }

    private MembershipScene answered() {
        member.prepare(m(1), BALLOT);
        member.frozen(vector(1, 3, 2, 4, 3, 0));
        return member;
    }

    private MembershipScene catchingUp() {
        answered().cut(m(1), BALLOT, next(BALLOT, vector(1, 3, 3, 7)), new TreeMap<>(Map.of(m(3), m(1))));
        return member;
    }

    @Nested
    class Prepare {

        @Test
        void steadyMemberPromisesFreezesAndAnswers() {
            member.prepare(m(1), BALLOT);
            assertThat(member.state()).isEqualTo("answered");
            assertThat(member.layer.raised).contains(new Signal.Freeze(BALLOT));
            assertThat(member.ballotMessages()).as("the answer waits for the layer above").isEmpty();
            member.frozen(vector(1, 3, 2, 4));
            assertThat(member.ballotMessages()).containsExactly("ACK 6.1@n1 from 5.1@n1 {n1=3, n2=4} to n1");
        }

        @Test
        void theAnswerSaysThePromise() {
            member.prepare(m(1), BALLOT);
            member.frozen(vector());
            assertThat(member.messages()).containsExactly("ACK 6.1@n1 from 5.1@n1 {} to n1");
        }

        @Test
        void whatElseTheCoordinatorHasToKnowComesBeforeTheAnswer() {
            member.prepare(m(1), BALLOT);
            member.close(m(3));
            member.frozen(vector());
            assertThat(member.messages())
                    .containsExactly(
                            "ADVERT 5.1@n1 promised 6.1@n1 follows n1 opened [] closed [n3] lost [n3] to n1",
                            "ACK 6.1@n1 from 5.1@n1 {} to n1");
        }

        @Test
        void aViewThatTheProposerIsInIsNotWrittenOut() {
            member.layer.receive(m(1), MembershipScene.prepare(BALLOT, member.view.id()));
            member.frozen(vector(1, 3));
            Packet brief = member.layer.takeSent().getLast();
            member.prepare(m(1), id(6, 2, 1));
            member.frozen(vector(1, 3));
            Packet whole = member.layer.takeSent().getLast();
            assertThat(brief.length()).isLessThan(whole.length() - 3 * 30);
        }

        @Test
        void answeredMemberAnswersAHigherBallotAgain() {
            answered().prepare(m(1), id(6, 2, 1));
            member.frozen(vector(1, 3));
            assertThat(member.ballotMessages()).last().isEqualTo("ACK 6.2@n1 from 5.1@n1 {n1=3} to n1");
        }

        @Test
        void catchingUpEndsWithAHigherBallot() {
            catchingUp().prepare(m(1), id(6, 2, 1));
            assertThat(member.state()).isEqualTo("answered");
            member.reached(BALLOT);
            assertThat(member.view.id()).as("the target is gone").isEqualTo(id(5, 1, 1));
        }

        @Test
        void ballotNotAboveThePromiseIsRefused() {
            answered().prepare(m(1), BALLOT);
            member.prepare(m(1), id(6, 0, 1));
            assertThat(member.ballotMessages())
                    .contains(
                            "NACK 6.1@n1 promised 6.1@n1 in 5 follows n1 to n1",
                            "NACK 6.0@n1 promised 6.1@n1 in 5 follows n1 to n1");
        }

        @Test
        void ballotWithAnInstalledNumberIsRefused() {
            member.prepare(m(1), id(5, 9, 1));
            assertThat(member.ballotMessages())
                    .containsExactly("NACK 5.9@n1 promised 5.1@n1 in 5 follows n1 to n1");
            assertThat(member.state()).isEqualTo("steady");
        }

        @Test
        void ballotOfSomebodyElseThanTheCoordinatorIsRefused() {
            member.prepare(m(3), id(6, 1, 3));
            assertThat(member.ballotMessages())
                    .containsExactly("NACK 6.1@n3 promised 5.1@n1 in 5 follows n1 to n3");
            assertThat(member.state()).isEqualTo("steady");
            assertThat(member.layer.takeRaised(Signal.Freeze.class)).isEmpty();
        }

        @Test
        void refusalsComeInEveryState() {
            catchingUp().prepare(m(3), id(9, 1, 3));
            assertThat(member.ballotMessages()).last().asString().startsWith("NACK 9.1@n3");
            assertThat(member.state()).isEqualTo("catching-up");
        }

        @Test
        void onlyTheLastOfTwoBallotsIsAnswered() {
            member.prepare(m(1), BALLOT);
            member.prepare(m(1), id(6, 2, 1));
            List<Signal.Freeze> freezes = member.layer.takeRaised(Signal.Freeze.class);
            member.layer.signalDown(new Signal.Frozen(freezes.getFirst().ballot(), vector()));
            member.turn();
            assertThat(member.ballotMessages()).isEmpty();
            member.layer.signalDown(new Signal.Frozen(freezes.getLast().ballot(), vector()));
            assertThat(member.ballotMessages()).containsExactly("ACK 6.2@n1 from 5.1@n1 {} to n1");
        }
    }

    @Nested
    class Cut {

        @Test
        void answeredMemberCatchesUpAndInstalls() {
            catchingUp();
            assertThat(member.state()).isEqualTo("catching-up");
            assertThat(member.layer.takeRaised(Signal.Flush.class))
                    .containsExactly(new Signal.Flush(
                            BALLOT, vector(1, 3, 3, 7), new TreeMap<>(Map.of(m(3), m(1)))));
            member.reached(BALLOT);
            assertThat(member.state()).isEqualTo("steady");
            assertThat(member.view.id()).isEqualTo(BALLOT);
        }

        @Test
        void networkLearnsTheViewBeforeTheApplication() {
            catchingUp().reached(BALLOT);
            assertThat(member.layer.takeLowered(Signal.Installed.class))
                    .containsExactly(new Signal.Installed(member.view, true));
            assertThat(member.layer.takeRaised(Signal.Installed.class)).hasSize(1);
        }

        @Test
        void anOlderProposalIsCompletedAndTheBallotAnsweredAgain() {
            View completed = next(id(5, 4, 3), vector());
            View older = new View(id(6, 1, 3), completed.members(), completed.parts());
            member.prepare(m(1), id(7, 1, 1));
            member.frozen(vector(1, 2));
            member.ballotMessages();
            member.cut(m(1), id(7, 1, 1), older, new TreeMap<>());
            member.reached(id(7, 1, 1));
            assertThat(member.view.id()).isEqualTo(older.id());
            assertThat(member.state()).as("still promised").isEqualTo("answered");
            assertThat(member.layer.takeRaised(Signal.Installed.class))
                    .containsExactly(new Signal.Installed(older, false));
            member.frozen(vector());
            assertThat(member.ballotMessages()).containsExactly("ACK 7.1@n1 from 6.1@n3 {} to n1");
        }

        @Test
        void cutOfABallotNotPromisedIsDropped() {
            answered().cut(m(1), id(6, 0, 1), next(id(6, 0, 1), vector()), new TreeMap<>());
            assertThat(member.layer.takeDropped()).containsExactly(DropReason.OLD_BALLOT);
            assertThat(member.state()).isEqualTo("answered");
        }

        @Test
        void cutOfAnOlderBallotIsDropped_D6() {
            // 2 answered 1's ballot and another of 1's since; the cut of the first one comes late.
            answered().prepare(m(1), id(7, 1, 1));
            member.frozen(vector());
            member.cut(m(1), BALLOT, next(BALLOT, vector()), new TreeMap<>());
            assertThat(member.layer.takeDropped()).containsExactly(DropReason.OLD_BALLOT);
            assertThat(member.layer.takeRaised(Signal.Flush.class)).isEmpty();
            member.reached(BALLOT);
            member.reached(id(7, 1, 1));
            assertThat(member.view.id()).as("nothing was installed").isEqualTo(id(5, 1, 1));
        }

        @Test
        void steadyMemberDropsALateCut() {
            View record = next(BALLOT, vector());
            catchingUp().reached(BALLOT);
            member.cut(m(1), BALLOT, record, new TreeMap<>());
            assertThat(member.layer.takeDropped()).containsExactly(DropReason.OLD_BALLOT);
            assertThat(member.count("views-installed")).isEqualTo(2);
        }

        @Test
        void cutWithoutThisMembersPartIsDropped() {
            View foreign = new View(BALLOT, members(1, 2, 3), List.of(part(id(5, 1, 3), members(1, 2, 3), vector())));
            answered().cut(m(1), BALLOT, foreign, new TreeMap<>());
            View withoutMe = new View(BALLOT, members(1, 3), List.of(part(id(5, 1, 1), members(1, 3), vector())));
            member.cut(m(1), BALLOT, withoutMe, new TreeMap<>());
            assertThat(member.layer.takeDropped()).containsExactly(DropReason.OLD_BALLOT, DropReason.OLD_BALLOT);
            assertThat(member.state()).isEqualTo("answered");
        }
    }

    @Nested
    class Data {

        @Test
        void passesInEveryState() {
            // The layer above decides which packets are delivered, held or dropped while frozen.
            Packet packet = MembershipScene.control(MembershipMessage.DATA).appendInt(7);
            member.layer.receive(m(3), packet);
            answered().layer.receive(m(3), MembershipScene.control(MembershipMessage.DATA).appendInt(8));
            assertThat(member.layer.delivered).hasSize(2);
            assertThat(member.layer.delivered.getFirst().takeInt()).isEqualTo(7);
        }

        @Test
        void goesDownWithOneByte() {
            member.layer.sendDown(Packet.create(member.layer.memory, 8).appendInt(9));
            Packet sent = member.layer.takeSent().getLast();
            assertThat(sent.length()).isEqualTo(5);
            assertThat(sent.takeByte()).isEqualTo(MembershipMessage.DATA);
        }
    }

    @Nested
    class Sessions {

        @Test
        void aClosedSessionIsLostAndToldAtOnce() {
            member.close(m(3));
            member.turn();
            assertThat(member.messages())
                    .containsExactly("ADVERT 5.1@n1 promised 5.1@n1 follows n1 opened [] closed [n3] lost [n3] to n1");
        }

        @Test
        void aNewSessionIsToldBothAndStaysLost() {
            member.close(m(3));
            member.open(m(3));
            member.turn();
            assertThat(member.messages())
                    .containsExactly(
                            "ADVERT 5.1@n1 promised 5.1@n1 follows n1 opened [] closed [] lost [n3] to n1",
                            "ADVERT 5.1@n1 promised 5.1@n1 follows n1 to n3");
        }

        @Test
        void aSecondCloseChangesNothing() {
            member.close(m(3));
            member.turn();
            member.forget();
            member.layer.signalUp(new Signal.Closed(m(3), false, "again"));
            member.turn();
            assertThat(member.messages()).isEmpty();
            assertThat(member.layer.raised).isEmpty();
        }

        @Test
        void goodbyeIsAClose() {
            member.layer.signalUp(new Signal.Closed(m(3), true, "left"));
            member.turn();
            assertThat(member.adverts()).singleElement().asString().contains("lost [n3]");
        }

        @Test
        void messagesOfAClosedSessionAreDropped() {
            member.close(m(1));
            member.prepare(m(1), BALLOT);
            assertThat(member.layer.takeDropped()).containsExactly(DropReason.NO_SESSION);
            assertThat(member.state()).isEqualTo("steady");
        }

        @Test
        void theAnswerToAProposerThatIsGoneIsNotSent() {
            member.prepare(m(1), BALLOT);
            member.close(m(1));
            member.frozen(vector());
            assertThat(member.ballotMessages()).noneMatch(text -> text.startsWith("ACK"));
        }

        @Test
        void whatIsUnchangedIsNotToldAgain() {
            member.layer.signalDown(new Signal.Submitted());
            member.turn();
            member.turn();
            assertThat(member.messages()).isEmpty();
        }
    }

    @Nested
    class Lost {

        @Test
        void isSetToClosedAtAPromise_D10() {
            // 2-3 is closed by both ends, then a ballot comes: the fact must outlive the promise.
            member.close(m(3));
            member.prepare(m(1), BALLOT);
            member.frozen(vector());
            assertThat(member.adverts()).last().asString().startsWith("ADVERT 5.1@n1 promised 6.1@n1").contains("lost [n3]");
        }

        @Test
        void forgetsAtAPromiseWhatHasReconnected_D10() {
            member.close(m(3));
            member.turn();
            member.open(m(3));
            member.prepare(m(1), BALLOT);
            member.frozen(vector());
            assertThat(told(1)).startsWith("ADVERT 5.1@n1 promised 6.1@n1").contains("opened [n3]").contains("lost []");
        }

        @Test
        void staysInTheNewViewIfTheSessionBrokeSinceTheAnswer_D10() {
            answered().close(m(3));
            member.open(m(3));
            member.cut(m(1), BALLOT, next(BALLOT, vector()), new TreeMap<>());
            member.reached(BALLOT);
            assertThat(told(1)).startsWith("ADVERT 6.1@n1 promised 6.1@n1").contains("lost [n3]");
        }

        @Test
        void aSessionThatWasDownAtThePromiseIsLostToANewcomerToo_D10() {
            // 4 was met and lost while it was in no view with 2; 2 has installed a view without it since.
            member.open(m(4));
            member.close(m(4));
            catchingUp().reached(BALLOT);
            member.prepare(m(1), id(7, 1, 1));
            member.frozen(vector());
            member.open(m(4));
            View merged = new View(
                    id(7, 1, 1),
                    members(1, 2, 3, 4),
                    List.of(
                            part(id(1, 1, 4), members(4), vector()),
                            part(BALLOT, members(1, 2, 3), vector())));
            member.cut(m(1), id(7, 1, 1), merged, new TreeMap<>());
            member.reached(id(7, 1, 1));
            assertThat(told(1)).startsWith("ADVERT 7.1@n1 promised 7.1@n1").contains("lost [n4]");
        }

        @Test
        void isForgottenForThoseWhoAreNotInTheView() {
            member.close(m(3));
            member.prepare(m(1), BALLOT);
            member.frozen(vector());
            View pair = new View(BALLOT, members(1, 2), List.of(part(id(5, 1, 1), members(1, 2), vector())));
            member.cut(m(1), BALLOT, pair, new TreeMap<>());
            member.reached(BALLOT);
            member.forget();
            member.open(m(4));
            member.turn();
            assertThat(told(1)).contains("opened [n4]").contains("lost []");
        }

        /** The last that the member was told. */
        private String told(int receiver) {
            return member.adverts().stream()
                    .filter(text -> text.endsWith("to n" + receiver))
                    .reduce("", (before, text) -> text);
        }
    }

    @Nested
    class Told {

        @Test
        void isTheOneThatIsFollowedAndNobodyElse() {
            member.open(m(4));
            member.turn();
            assertThat(member.messages())
                    .containsExactly(
                            "ADVERT 5.1@n1 promised 5.1@n1 follows n1 opened [n4] closed [] lost [] to n1",
                            "ADVERT 5.1@n1 promised 5.1@n1 follows n1 to n4");
        }

        @Test
        void isNobodyWhenAViewIsInstalledInWhichNothingHadToBeKept() {
            answered().cut(m(1), BALLOT, next(BALLOT, vector()), new TreeMap<>());
            member.forget();
            member.reached(BALLOT);
            assertThat(member.messages()).as("who has decided on it knows").isEmpty();
        }

        @Test
        void isTheCoordinatorWhenAViewIsInstalledWhosePartHasPacketsToKeep() {
            catchingUp().forget();
            member.reached(BALLOT);
            assertThat(member.messages())
                    .containsExactly("ADVERT 6.1@n1 promised 6.1@n1 follows n1 opened [] closed [] lost [] to n1");
        }

        @Test
        void areBothWhenAnotherIsFollowed() {
            member.open(m(0));
            member.turn();
            member.forget();
            member.advert(m(0), View.alone(m(0)), id(1, 1, 0), m(0), members(1, 2, 3), List.of());
            member.turn();
            assertThat(member.messages()).as("0 has never been in a view: 1 is older").isEmpty();
            View older = new View(id(4, 1, 0), members(0, 1), List.of());
            member.advert(m(0), older, older.id(), m(0), members(1, 2, 3), List.of());
            member.listed(m(0), older);
            assertThat(member.messages())
                    .contains(
                            "ADVERT 5.1@n1 promised 5.1@n1 follows n0 heard [n1, n3, n0] lost [] to n0",
                            "ADVERT 5.1@n1 promised 5.1@n1 follows n0 to n1");
        }

        @Test
        void areThoseOutsideWhenTheCoordinatorIsGoneAndThisMemberTakesItsPlace() {
            member.open(m(4));
            member.turn();
            member.forget();
            member.close(m(1));
            member.turn();
            assertThat(member.messages())
                    .as("4 must not believe that this member waits for 1")
                    .containsExactly("ADVERT 5.1@n1 promised 5.1@n1 follows n2 members [n1, n2, n3] to n4");
        }

        @Test
        void isOneThatHasBecomeACoordinator() {
            member.open(m(4));
            member.turn();
            member.advert(m(4), View.alone(m(4)), id(1, 1, 4), m(1), members(1), List.of());
            member.turn();
            member.forget();
            member.advert(m(4), View.alone(m(4)), id(1, 1, 4), m(4), members(1), List.of());
            member.turn();
            assertThat(member.messages())
                    .as("it may hold its ballots back for what it believes of this member")
                    .containsExactly("ADVERT 5.1@n1 promised 5.1@n1 follows n1 to n4");
        }

        @Test
        void isWhoFollowsAMemberThatFollowsAnother() {
            member.open(m(4));
            member.turn();
            member.forget();
            member.advert(m(4), View.alone(m(4)), id(1, 1, 4), m(2), members(2), List.of());
            member.turn();
            assertThat(member.messages()).as("it knows already").isEmpty();
            answered().cut(m(1), BALLOT, next(BALLOT, vector()), new TreeMap<>());
            member.forget();
            member.reached(BALLOT);
            assertThat(member.messages()).containsExactly("ADVERT 6.1@n1 promised 6.1@n1 follows n1 to n4");
        }

        @Test
        void areThoseOutsideOfANewViewByItsCoordinator() {
            MembershipScene first = steady(1, 1, 2, 3);
            first.open(m(4));
            first.turn();
            first.forget();
            first.close(m(3));
            first.advert(m(2), first.view, first.view.id(), m(1), members(1, 2), members(3));
            first.turn();
            first.layer.advance(TIMING.holdBackNanos());
            first.frozen(vector());
            first.ack(m(2), id(3, 1, 1), first.view, vector());
            first.forget();
            first.reached(id(3, 1, 1));
            assertThat(first.messages()).containsExactly("ADVERT 3.1@n1 promised 3.1@n1 follows n1 members [n1, n2] to n4");
        }
    }

    @Nested
    class Follows {

        private String follows() {
            return member.layer.texts().get("membership.follows");
        }

        @Test
        void theOldestThatIsHeard() {
            assertThat(follows()).isEqualTo("n1");
            member.close(m(1));
            assertThat(follows()).isEqualTo("n2");
        }

        /** Else those who joined later would order the older ones by their names, each as far as it has heard of them. */
        @Test
        void theOneThatTheViewSaysIsTheOldest() {
            member.prepare(m(1), BALLOT);
            member.frozen(vector(1, 3));
            member.cut(m(1), BALLOT, next(BALLOT, vector(1, 3)), new long[] {4, 5, 2});
            member.reached(BALLOT);
            assertThat(follows()).isEqualTo("n3");
        }

        @Test
        void itselfIfTheViewSaysThatItIsTheOldest() {
            member.prepare(m(1), BALLOT);
            member.frozen(vector(1, 3));
            member.cut(m(1), BALLOT, next(BALLOT, vector(1, 3)), new long[] {4, 3, 6});
            member.reached(BALLOT);
            assertThat(follows()).isEqualTo("n2");
        }

        @Test
        void itselfIfTheOlderOneFollowsItAndComesAfterItByName() {
            member.close(m(1));
            assertThat(follows()).as("2 before 3, both of one view").isEqualTo("n2");
            MembershipScene two = new MembershipScene(2);
            two.open(m(3));
            View pair = new View(id(3, 1, 3), members(3, 2), List.of());
            two.listed(m(3), pair);
            assertThat(two.layer.texts()).as("the older").containsEntry("membership.follows", "n3");
            two.advert(m(3), pair, pair.id(), m(2), members(2, 3), List.of());
            assertThat(two.layer.texts()).as("each takes the other for the older").containsEntry("membership.follows", "n2");
        }

        @Test
        void notIntoAViewItCannotBeIn_D12() {
            MembershipScene three = new MembershipScene(3);
            three.open(m(1));
            View pair = new View(id(3, 1, 1), members(1, 2), List.of());
            three.advert(m(1), pair, pair.id(), m(1), members(1, 2, 3), List.of());
            three.listed(m(1), pair);
            assertThat(three.layer.texts()).containsEntry("membership.follows", "n3");
        }

        @Test
        void waitsWhileTheOldestAdvertisesAViewWithIt_D12() {
            MembershipScene three = new MembershipScene(3);
            three.open(m(1));
            View all = new View(id(3, 1, 1), members(1, 2, 3), List.of());
            three.advert(m(1), all, all.id(), m(1), members(1, 2, 3), List.of());
            three.listed(m(1), all);
            assertThat(three.layer.texts()).containsEntry("membership.follows", "n1");
        }

        @Test
        void intoAViewWithAllOfWhomItHasSessions() {
            MembershipScene three = new MembershipScene(3);
            three.open(m(1));
            three.open(m(2));
            View pair = new View(id(3, 1, 1), members(1, 2), List.of());
            three.advert(m(1), pair, pair.id(), m(1), members(1, 2, 3), List.of());
            three.advert(m(2), pair, pair.id(), m(1), members(1, 2, 3), List.of());
            three.listed(m(1), pair);
            assertThat(three.layer.texts()).containsEntry("membership.follows", "n1");
        }
    }

    @Nested
    class Leaving {

        @Test
        void isToldToTheNodeInEveryState() {
            member.layer.signalDown(new Signal.Leave());
            answered().layer.signalDown(new Signal.Leave());
            assertThat(member.layer.takeLowered(Signal.Left.class)).hasSize(2);
        }
    }

    @Nested
    class Followed {

        /** Member 1 has installed a view in which there is something to keep for who is behind. */
        private MembershipScene installed() {
            MembershipScene first = steady(1, 1, 2, 3);
            first.advert(m(2), first.view, first.view.id(), m(1), members(1, 2, 3), members(3));
            first.turn();
            first.frozen(vector(1, 3));
            first.ack(m(2), id(3, 1, 1), first.view, vector(1, 2));
            first.ack(m(3), id(3, 1, 1), first.view, vector(1, 2));
            first.reached(id(3, 1, 1));
            first.ballotMessages();
            return first;
        }

        @Test
        void isSaidByTheCoordinatorWhenAllHaveTheViewOrALaterOne() {
            MembershipScene first = installed();
            first.advert(m(2), first.view, first.view.id(), m(1), members(1, 2, 3), List.of());
            first.turn();
            assertThat(first.layer.takeRaised(Signal.ViewStable.class)).isEmpty();
            View later = new View(id(4, 1, 1), members(1, 2, 3), List.of());
            first.advert(m(3), later, later.id(), m(1), members(1, 2, 3), List.of());
            first.turn();
            assertThat(first.layer.takeRaised(Signal.ViewStable.class)).containsExactly(new Signal.ViewStable(first.view));
            assertThat(first.ballotMessages()).contains("VIEW_STABLE 3.1@n1 to n2", "VIEW_STABLE 3.1@n1 to n3");
            first.turn();
            assertThat(first.layer.takeRaised(Signal.ViewStable.class)).as("once").isEmpty();
        }

        @Test
        void isBelievedByTheOthersOnce() {
            catchingUp().reached(BALLOT);
            assertThat(member.layer.takeRaised(Signal.ViewStable.class)).isEmpty();
            member.followed(m(1), id(5, 1, 1));
            assertThat(member.layer.takeRaised(Signal.ViewStable.class)).as("of the view before").isEmpty();
            member.followed(m(1), BALLOT);
            member.followed(m(1), BALLOT);
            assertThat(member.layer.takeRaised(Signal.ViewStable.class)).containsExactly(new Signal.ViewStable(member.view));
        }

        @Test
        void isNotSaidWhileOneOfTheViewIsNotHeard() {
            MembershipScene first = installed();
            first.close(m(3));
            first.advert(m(2), first.view, first.view.id(), m(1), members(1, 2, 3), List.of());
            first.turn();
            assertThat(first.layer.takeRaised(Signal.ViewStable.class)).isEmpty();
        }

        @Test
        void goesWithoutSayingWhereNothingWasSent() {
            answered().cut(m(1), BALLOT, next(BALLOT, vector()), new TreeMap<>());
            member.reached(BALLOT);
            assertThat(member.layer.takeRaised(Signal.ViewStable.class)).hasSize(1);
        }
    }

    @Nested
    class Pieces {

        private View large() {
            List<Member> many = new ArrayList<>(members(1, 2, 3));
            for (int number = 10; number < 6_000; number++) {
                many.add(m(number));
            }
            return new View(BALLOT, many, List.of(part(member.view.id(), members(1, 2, 3), vector())));
        }

        private List<Packet> pieces() {
            LayerTest sender = new LayerTest(new Membership(m(1), TIMING));
            Packet cut = MembershipScene.cut(BALLOT, large(), new TreeMap<>());
            Control.send(cut, m(2), sender);
            return sender.takeSent();
        }

        @Test
        void makeUpAMessageThatDoesNotFitIntoAFrame() {
            for (int number = 4; number <= 6_000; number++) {
                member.open(m(number));
            }
            answered();
            List<Packet> pieces = pieces();
            assertThat(pieces).hasSizeGreaterThan(1).allMatch(piece -> piece.length() <= Packet.PAYLOAD_MAX);
            pieces.forEach(piece -> member.layer.receive(m(1), piece));
            member.reached(BALLOT);
            assertThat(member.view.size()).isEqualTo(5_993);
        }

        @Test
        void areForgottenWithTheirSession() {
            answered();
            List<Packet> pieces = pieces();
            member.layer.receive(m(1), pieces.getFirst());
            member.close(m(1));
            member.open(m(1));
            pieces.subList(1, pieces.size()).forEach(piece -> member.layer.receive(m(1), piece));
            assertThat(member.layer.takeDropped()).containsExactly(DropReason.MALFORMED);
            assertThat(member.state()).isEqualTo("answered");
        }

        @Test
        void beyondTheLimitEndTheSession() {
            int sent = 0;
            while (member.layer.takeLowered(Signal.Expel.class).isEmpty()) {
                assertThat(sent).isLessThanOrEqualTo(Membership.CONTROL_BYTES_MAX);
                byte[] bytes = new byte[60_000];
                member.layer.receive(m(3), MembershipScene.control(MembershipMessage.PIECE)
                        .appendBoolean(false)
                        .append(bytes, 0, bytes.length));
                sent += bytes.length;
            }
            assertThat(sent).isGreaterThan(Membership.CONTROL_BYTES_MAX);
            assertThat(member.layer.takeDropped()).containsExactly(DropReason.MALFORMED);
        }

        @Test
        void doNotNest() {
            Packet inner = MembershipScene.control(MembershipMessage.PIECE).appendBoolean(true).appendByte(MembershipMessage.PIECE);
            member.layer.receive(m(3), MembershipScene.control(MembershipMessage.PIECE).appendBoolean(true).append(inner));
            assertThat(member.layer.takeDropped()).containsExactly(DropReason.MALFORMED);
        }
    }

    @Nested
    class Hostile {

        @Test
        void everyTruncationOfEveryMessageIsCountedAndChangesNothing() {
            View record = next(BALLOT, vector(1, 3));
            List<Packet> messages = List.of(
                    MembershipScene.prepare(BALLOT),
                    MembershipScene.ack(BALLOT, record, vector(1, 1)),
                    MembershipScene.nack(BALLOT, BALLOT, 5, m(1)),
                    MembershipScene.cut(BALLOT, record, new TreeMap<>(Map.of(m(3), m(1)))),
                    MembershipScene.followed(BALLOT),
                    MembershipScene.advertOf(m(1), member.view, BALLOT, m(1), members(1, 2, 3), members(3)),
                    MembershipScene.advertOf(
                            member.view, BALLOT, m(1), new Advert.Changes(members(3), members(4), members(3))),
                    MembershipScene.advertOf(member.view, BALLOT, m(1), new Advert.Listed(members(1, 2, 3))));
            int checked = 0;
            for (Packet message : messages) {
                for (int length = 0; length < message.length(); length++) {
                    Packet truncated = Packet.create(member.layer.memory, length);
                    truncated.append(message.bytes(), message.offset(), length);
                    member.layer.receive(m(1), truncated);
                    checked++;
                }
            }
            assertThat(member.layer.takeDropped()).hasSize(checked).containsOnly(DropReason.MALFORMED);
            assertThat(member.state()).isEqualTo("steady");
        }

        @Test
        void anUnknownKindIsMalformed() {
            member.layer.receive(m(1), MembershipScene.control(99));
            assertThat(member.layer.takeDropped()).containsExactly(DropReason.MALFORMED);
        }
    }
}
