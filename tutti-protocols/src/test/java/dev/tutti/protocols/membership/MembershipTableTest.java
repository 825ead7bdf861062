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
            assertThat(member.layer.raised).contains(new Signal.Freeze(BALLOT));
            assertThat(member.ballotMessages()).as("the answer waits for the layer above").isEmpty();
            member.frozen(vector(1, 3, 2, 4));
            assertThat(member.ballotMessages()).containsExactly("ACK 6.1@n1 from 5.1@n1 {n1=3, n2=4} to n1");
        }

        @Test
        void theCoordinatorKnowsThePromiseBeforeItHasTheAnswer() {
            member.prepare(m(1), BALLOT);
            member.frozen(vector());
            List<String> toCoordinator = member.messages().stream().filter(text -> text.endsWith("to n1")).toList();
            assertThat(toCoordinator.getFirst()).startsWith("ADVERT 5.1@n1 promised 6.1@n1");
            assertThat(toCoordinator.getLast()).startsWith("ACK");
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
            member.prepare(m(1), id(6, 1, 0));
            assertThat(member.ballotMessages())
                    .contains(
                            "NACK 6.1@n1 promised 6.1@n1 in 5 follows n1 to n1",
                            "NACK 6.1@n0 promised 6.1@n1 in 5 follows n1 to n1");
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
            assertThat(member.layer.takeRaised(Signal.Reach.class))
                    .containsExactly(new Signal.Reach(
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
            assertThat(member.layer.takeRaised(Signal.Reach.class)).isEmpty();
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
            // What is delivered, held or dropped while frozen is the business of the layer above.
            Packet packet = MembershipScene.control(Membership.DATA).appendInt(7);
            member.layer.receive(m(3), packet);
            answered().layer.receive(m(3), MembershipScene.control(Membership.DATA).appendInt(8));
            assertThat(member.layer.delivered).hasSize(2);
            assertThat(member.layer.delivered.getFirst().takeInt()).isEqualTo(7);
        }

        @Test
        void goesDownWithOneByte() {
            member.layer.sendDown(Packet.create(member.layer.memory, 8).appendInt(9));
            Packet sent = member.layer.takeSent().getLast();
            assertThat(sent.length()).isEqualTo(5);
            assertThat(sent.takeByte()).isEqualTo(Membership.DATA);
        }
    }

    @Nested
    class Sessions {

        @Test
        void aClosedSessionIsLostAndToldAtOnce() {
            member.close(m(3));
            member.turn();
            assertThat(member.messages())
                    .containsExactly("ADVERT 5.1@n1 promised 5.1@n1 follows n1 heard [n1] lost [n3] to n1");
        }

        @Test
        void aNewSessionIsToldBothAndStaysLost() {
            member.close(m(3));
            member.open(m(3));
            member.turn();
            assertThat(member.messages())
                    .containsExactly(
                            "ADVERT 5.1@n1 promised 5.1@n1 follows n1 heard [n1, n3] lost [n3] to n1",
                            "ADVERT 5.1@n1 promised 5.1@n1 follows n1 heard [n1, n3] lost [n3] to n3");
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
            member.open(m(3));
            member.prepare(m(1), BALLOT);
            member.frozen(vector());
            assertThat(member.adverts()).last().asString().startsWith("ADVERT 5.1@n1 promised 6.1@n1").contains("lost []");
        }

        @Test
        void staysInTheNewViewIfTheSessionBrokeSinceTheAnswer_D10() {
            answered().close(m(3));
            member.open(m(3));
            member.cut(m(1), BALLOT, next(BALLOT, vector()), new TreeMap<>());
            member.reached(BALLOT);
            assertThat(member.adverts()).last().asString().startsWith("ADVERT 6.1@n1 promised 6.1@n1").contains("lost [n3]");
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
            assertThat(member.adverts()).last().asString().startsWith("ADVERT 7.1@n1 promised 7.1@n1").contains("lost [n4]");
        }

        @Test
        void isForgottenForThoseWhoAreNotInTheView() {
            member.close(m(3));
            member.prepare(m(1), BALLOT);
            member.frozen(vector());
            View pair = new View(BALLOT, members(1, 2), List.of(part(id(5, 1, 1), members(1, 2), vector())));
            member.cut(m(1), BALLOT, pair, new TreeMap<>());
            member.reached(BALLOT);
            assertThat(member.adverts()).last().asString().contains("lost []");
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

        @Test
        void notIntoAViewItCannotBeIn_D12() {
            MembershipScene three = new MembershipScene(3);
            three.open(m(1));
            View pair = new View(id(3, 1, 1), members(1, 2), List.of());
            three.advert(m(1), pair, pair.id(), m(1), members(1, 2, 3), List.of());
            three.turn();
            assertThat(three.layer.texts()).containsEntry("membership.follows", "n3");
        }

        @Test
        void waitsWhileTheOldestAdvertisesAViewWithIt_D12() {
            MembershipScene three = new MembershipScene(3);
            three.open(m(1));
            View all = new View(id(3, 1, 1), members(1, 2, 3), List.of());
            three.advert(m(1), all, all.id(), m(1), members(1, 2, 3), List.of());
            three.turn();
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
            three.turn();
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

        @Test
        void isSaidWhenAllOfThePartAdvertiseTheViewOrALaterOne() {
            catchingUp().reached(BALLOT);
            member.advert(m(1), member.view, BALLOT, m(1), members(1, 2, 3), List.of());
            member.turn();
            assertThat(member.layer.takeRaised(Signal.Followed.class)).isEmpty();
            View later = new View(id(7, 1, 1), members(1, 2, 3), List.of());
            member.advert(m(3), later, later.id(), m(1), members(1, 2, 3), List.of());
            member.turn();
            assertThat(member.layer.takeRaised(Signal.Followed.class)).containsExactly(new Signal.Followed(member.view));
            member.advert(m(3), later, later.id(), m(1), members(1, 2, 3), List.of());
            member.turn();
            assertThat(member.layer.takeRaised(Signal.Followed.class)).as("once").isEmpty();
        }

        @Test
        void isNotSaidWhileOneOfThePartIsNotHeard() {
            catchingUp().reached(BALLOT);
            member.close(m(3));
            member.advert(m(1), member.view, BALLOT, m(1), members(1, 2, 3), List.of());
            member.turn();
            assertThat(member.layer.takeRaised(Signal.Followed.class)).isEmpty();
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
                    MembershipScene.advertOf(m(1), member.view, BALLOT, m(1), members(1, 2, 3), members(3)));
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
