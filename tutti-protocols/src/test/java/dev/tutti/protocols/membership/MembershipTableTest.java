package dev.tutti.protocols.membership;

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
            assertThat(member.layer.raised).contains(new Signal.ViewChange.Freeze(BALLOT));
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
            assertThat(member.layer.takeRaised(Signal.ViewChange.Freeze.class)).isEmpty();
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
            List<Signal.ViewChange.Freeze> freezes = member.layer.takeRaised(Signal.ViewChange.Freeze.class);
            member.layer.signalDown(new Signal.ViewChange.Frozen(freezes.getFirst().ballot(), vector()));
            member.turn();
            assertThat(member.ballotMessages()).isEmpty();
            member.layer.signalDown(new Signal.ViewChange.Frozen(freezes.getLast().ballot(), vector()));
            assertThat(member.ballotMessages()).containsExactly("ACK 6.2@n1 from 5.1@n1 {} to n1");
        }
    }

    @Nested
    class Cut {

        @Test
        void answeredMemberCatchesUpAndInstalls() {
            catchingUp();
            assertThat(member.state()).isEqualTo("catching-up");
            assertThat(member.layer.takeRaised(Signal.ViewChange.Flush.class))
                    .containsExactly(new Signal.ViewChange.Flush(
                            BALLOT, vector(1, 3, 3, 7), new TreeMap<>(Map.of(m(3), m(1)))));
            member.reached(BALLOT);
            assertThat(member.state()).isEqualTo("steady");
            assertThat(member.view.id()).isEqualTo(BALLOT);
        }

        @Test
        void networkLearnsTheViewBeforeTheApplication() {
            catchingUp().reached(BALLOT);
            assertThat(member.layer.takeLowered(Signal.ViewChange.Installed.class))
                    .containsExactly(new Signal.ViewChange.Installed(member.view, 1, true));
            assertThat(member.layer.takeRaised(Signal.ViewChange.Installed.class)).hasSize(1);
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
            assertThat(member.layer.takeRaised(Signal.ViewChange.Installed.class))
                    .containsExactly(new Signal.ViewChange.Installed(older, 1, false));
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
            assertThat(member.layer.takeRaised(Signal.ViewChange.Flush.class)).isEmpty();
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
            member.layer.signalUp(new Signal.Peer.Closed(m(3), false, "again"));
            member.turn();
            assertThat(member.messages()).isEmpty();
            assertThat(member.layer.raised).isEmpty();
        }

        @Test
        void goodbyeIsAClose() {
            member.layer.signalUp(new Signal.Peer.Closed(m(3), true, "left"));
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
            member.layer.signalDown(new Signal.Flow.Submitted());
            member.turn();
            member.turn();
            assertThat(member.messages()).isEmpty();
        }
    }

    @Nested
    class Leaving {

        @Test
        void isToldToTheNodeInEveryState() {
            member.layer.signalDown(new Signal.Departure.Leave());
            answered().layer.signalDown(new Signal.Departure.Leave());
            assertThat(member.layer.takeLowered(Signal.Departure.Left.class)).hasSize(2);
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
        void isSaidByTheCoordinatorWhenAllHaveTheView() {
            MembershipScene first = installed();
            first.advert(m(2), first.view, first.view.id(), m(1), members(1, 2, 3), List.of());
            first.turn();
            assertThat(first.layer.takeRaised(Signal.ViewChange.ViewStable.class)).isEmpty();
            first.advert(m(3), first.view, first.view.id(), m(1), members(1, 2, 3), List.of());
            first.turn();
            assertThat(first.layer.takeRaised(Signal.ViewChange.ViewStable.class)).containsExactly(new Signal.ViewChange.ViewStable(first.view));
            assertThat(first.ballotMessages()).contains("VIEW_STABLE 3.1@n1 to n2", "VIEW_STABLE 3.1@n1 to n3");
            first.turn();
            assertThat(first.layer.takeRaised(Signal.ViewChange.ViewStable.class)).as("once").isEmpty();
        }

        @Test
        void isNotSaidWhenOneAnnouncesALaterView() {
            MembershipScene first = installed();
            first.advert(m(2), first.view, first.view.id(), m(1), members(1, 2, 3), List.of());
            View later = new View(id(4, 1, 3), members(3), List.of());
            first.advert(m(3), later, later.id(), m(3), members(1, 2, 3), List.of());
            first.turn();
            assertThat(first.layer.takeRaised(Signal.ViewChange.ViewStable.class)).as("it may never have been in this one").isEmpty();
        }

        @Test
        void isBelievedByTheOthersOnce() {
            catchingUp().reached(BALLOT);
            assertThat(member.layer.takeRaised(Signal.ViewChange.ViewStable.class)).isEmpty();
            member.followed(m(1), id(5, 1, 1));
            assertThat(member.layer.takeRaised(Signal.ViewChange.ViewStable.class)).as("of the view before").isEmpty();
            member.followed(m(1), BALLOT);
            member.followed(m(1), BALLOT);
            assertThat(member.layer.takeRaised(Signal.ViewChange.ViewStable.class)).containsExactly(new Signal.ViewChange.ViewStable(member.view));
        }

        @Test
        void isNotSaidWhileOneOfTheViewIsNotHeard() {
            MembershipScene first = installed();
            first.close(m(3));
            first.advert(m(2), first.view, first.view.id(), m(1), members(1, 2, 3), List.of());
            first.turn();
            assertThat(first.layer.takeRaised(Signal.ViewChange.ViewStable.class)).isEmpty();
        }

        @Test
        void goesWithoutSayingWhereNothingWasSent() {
            answered().cut(m(1), BALLOT, next(BALLOT, vector()), new TreeMap<>());
            member.reached(BALLOT);
            assertThat(member.layer.takeRaised(Signal.ViewChange.ViewStable.class)).hasSize(1);
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
