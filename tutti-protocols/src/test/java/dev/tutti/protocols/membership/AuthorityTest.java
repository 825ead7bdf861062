package dev.tutti.protocols.membership;

import static dev.tutti.protocols.membership.MembershipScene.TIMING;
import static dev.tutti.protocols.membership.MembershipScene.cut;
import static dev.tutti.protocols.membership.MembershipScene.id;
import static dev.tutti.protocols.membership.MembershipScene.m;
import static dev.tutti.protocols.membership.MembershipScene.members;
import static dev.tutti.protocols.membership.MembershipScene.part;
import static dev.tutti.protocols.membership.MembershipScene.prepare;
import static dev.tutti.protocols.membership.MembershipScene.steady;
import static dev.tutti.protocols.membership.MembershipScene.vector;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** One of three lies about what others have decided, who there is, and how far things have gone. */
class AuthorityTest {

    private static final ViewId BALLOT = id(6, 1, 1);

    /** Member 2 of 5.1@n1 = {1, 2, 3}, with 1 for its coordinator. */
    private final MembershipScene member = steady(2, 1, 2, 3);

    /** Member 1 of 2.1@n1 = {1, 2, 3}, which coordinates. */
    private final MembershipScene first = steady(1, 1, 2, 3);

    private View next(List<Member> members) {
        return new View(BALLOT, members, List.of(part(member.view.id(), members(1, 2, 3), new TreeMap<>())));
    }

    private void answer() {
        member.prepare(m(1), BALLOT);
        member.frozen(vector());
        member.forget();
    }

    private void refuses(MembershipScene scene, Member from, Packet message, DropReason reason) {
        scene.layer.takeDropped();
        String state = scene.state();
        View view = scene.view;
        scene.layer.receive(from, message);
        scene.turn();
        assertThat(scene.layer.takeDropped()).containsExactly(reason);
        assertThat(scene.state()).isEqualTo(state);
        assertThat(scene.view).isEqualTo(view);
    }

    @Nested
    class Senders {

        @Test
        void decisionOfAnotherThanTheProposerIsForged() {
            answer();
            refuses(member, m(3), cut(BALLOT, next(members(1, 2, 3)), new TreeMap<>()), DropReason.FORGED);
            assertThat(member.layer.takeRaised(Signal.ViewChange.Flush.class)).isEmpty();
        }

        @Test
        void ballotInTheNameOfAnotherIsForged() {
            refuses(member, m(1), prepare(id(6, 1, 3)), DropReason.FORGED);
            assertThat(member.layer.takeRaised(Signal.ViewChange.Freeze.class)).isEmpty();
        }

        @Test
        void refusalOfOneThatWasNotAskedIsForged() {
            first.open(m(9));
            ViewId ballot = restarted();
            refuses(first, m(9), MembershipScene.nack(ballot, id(9, 1, 9), 8, m(9)), DropReason.FORGED);
            assertThat(first.count("ballots-refused")).isZero();
        }

        @Test
        void answerOfOneThatIsNotInItsViewIsForged() {
            ViewId ballot = restarted();
            View of = new View(id(2, 1, 1), members(1, 3), List.of());
            refuses(first, m(2), MembershipScene.ack(ballot, of, vector()), DropReason.FORGED);
        }

        @Test
        void answerThatCannotBeIsRefused() {
            ViewId ballot = restarted();
            View later = new View(id(ballot.number() + 1, 1, 2), members(1, 2, 3), List.of());
            refuses(first, m(2), MembershipScene.ack(ballot, later, vector()), DropReason.IMPLAUSIBLE);
            View none = new View(id(0, 1, 2), members(1, 2, 3), List.of());
            refuses(first, m(2), MembershipScene.ack(ballot, none, vector()), DropReason.IMPLAUSIBLE);
            Packet countless = MembershipScene.ack(ballot, first.view, vector(1, Authority.NUMBER_MAX + 1));
            refuses(first, m(2), countless, DropReason.IMPLAUSIBLE);
        }

        @Test
        void answerThatNamesSendersOutsideOfItsViewIsForged() {
            ViewId ballot = restarted();
            refuses(first, m(2), MembershipScene.ack(ballot, first.view, vector(7, 4)), DropReason.FORGED);
        }

        @Test
        void onlyTheCoordinatorSaysThatAllHaveFollowed() {
            answer();
            member.cut(m(1), BALLOT, new View(BALLOT, members(1, 2, 3), List.of(part(member.view.id(), members(1, 2, 3), vector(1, 4)))), new TreeMap<>());
            member.reached(BALLOT);
            member.layer.takeRaised(Signal.ViewChange.ViewStable.class);
            refuses(member, m(3), MembershipScene.followed(BALLOT), DropReason.FORGED);
            assertThat(member.layer.takeRaised(Signal.ViewChange.ViewStable.class)).isEmpty();
            member.followed(m(1), BALLOT);
            assertThat(member.layer.takeRaised(Signal.ViewChange.ViewStable.class)).hasSize(1);
        }
    }

    @Nested
    class Members {

        @Test
        void whoIsUnknownDoesNotComeIntoAView() {
            answer();
            refuses(member, m(1), cut(BALLOT, next(members(1, 2, 3, 77)), new TreeMap<>()), DropReason.FORGED);
        }

        @Test
        void memberUnderAnotherNameDoesNotComeIntoAView() {
            answer();
            Member renamed = new Member(new NodeId(3, "another", m(3).node().address()), m(3).join());
            refuses(member, m(1), cut(BALLOT, next(List.of(m(1), m(2), renamed)), new TreeMap<>()), DropReason.FORGED);
        }

        @Test
        void nobodyIsInAViewUnderAnotherNameThanItsOwn() {
            answer();
            Member self = new Member(new NodeId(2, "another", m(2).node().address()), m(2).join());
            refuses(member, m(1), cut(BALLOT, next(List.of(m(1), self, m(3))), new TreeMap<>()), DropReason.FORGED);
        }

        @Test
        void whoWasKnownBeforeItsSessionClosedDoes() {
            member.open(m(4));
            answer();
            member.close(m(4));
            member.layer.receive(m(1), cut(BALLOT, next(members(1, 2, 3, 4)), new TreeMap<>()));
            assertThat(member.layer.takeDropped()).isEmpty();
        }

        @Test
        void nobodyIsInAViewTwice() {
            answer();
            refuses(member, m(1), cut(BALLOT, next(members(1, 2, 3, 3)), new TreeMap<>()), DropReason.FORGED);
        }

        @Test
        void nobodyComesToAViewFromTwo() {
            answer();
            List<View.Part> parts = List.of(
                    part(member.view.id(), members(1, 3), new TreeMap<>()),
                    part(View.alone(m(3)).id(), members(3), new TreeMap<>()));
            View torn = new View(BALLOT, members(1, 2, 3), parts);
            refuses(member, m(1), cut(BALLOT, torn, new TreeMap<>()), DropReason.FORGED);
        }
    }

    @Nested
    class Numbers {

        @Test
        void ballotFarBeyondOnesOwnIsRefused() {
            refuses(member, m(1), prepare(id(5 + Authority.JUMP_MAX + 1, 1, 1)), DropReason.IMPLAUSIBLE);
            refuses(member, m(1), prepare(id(Long.MAX_VALUE, 1, 1)), DropReason.IMPLAUSIBLE);
            refuses(member, m(1), prepare(id(-1, 1, 1)), DropReason.IMPLAUSIBLE);
            refuses(member, m(1), prepare(id(6, -1, 1)), DropReason.IMPLAUSIBLE);
            member.prepare(m(1), id(5 + Authority.JUMP_MAX, 1, 1));
            assertThat(member.state()).isEqualTo("answered");
        }

        @Test
        void newcomerLeavesRoomForTheNumbersOfALifetime() {
            MembershipScene newcomer = new MembershipScene(2);
            newcomer.open(m(1));
            refuses(newcomer, m(1), prepare(id(Authority.NUMBER_MAX + 1, 1, 1)), DropReason.IMPLAUSIBLE);
        }

        @Test
        void advertOfAViewThatCannotBeIsRefused() {
            refuses(first, m(3), advert(id(Long.MAX_VALUE, 1, 3), first.view.id()), DropReason.IMPLAUSIBLE);
            refuses(first, m(3), advert(View.alone(m(2)).id(), first.view.id()), DropReason.FORGED);
            refuses(first, m(3), advert(id(3, 1, 3), first.view.id()), DropReason.FORGED);
        }

        private Packet advert(ViewId view, ViewId promised) {
            Packet packet = MembershipScene.control(MembershipMessage.ADVERT);
            new Advert(view, promised, m(1), Advert.NOT_YET).appendTo(packet, new Advert.Nothing());
            return packet;
        }

        @Test
        void decisionThatCannotBeIsRefused() {
            answer();
            List<View.Part> parts = next(members(1, 2, 3)).parts();
            View later = new View(id(6, 2, 1), members(1, 2, 3), parts);
            refuses(member, m(1), cut(BALLOT, later, new TreeMap<>()), DropReason.IMPLAUSIBLE);
            View none = new View(id(0, 1, 1), members(1, 2, 3), parts);
            refuses(member, m(1), cut(BALLOT, none, new long[] {5, 5, 5}, new TreeMap<>()), DropReason.IMPLAUSIBLE);
            TreeMap<Member, Long> countless = vector(1, Authority.NUMBER_MAX + 1);
            View endless = new View(BALLOT, members(1, 2, 3), List.of(part(member.view.id(), members(1, 2, 3), countless)));
            refuses(member, m(1), cut(BALLOT, endless, new TreeMap<>()), DropReason.IMPLAUSIBLE);
        }

        @Test
        void newcomerMeetsAGroupOfAnyAge() {
            MembershipScene newcomer = new MembershipScene(2);
            newcomer.open(m(1));
            newcomer.advert(m(1), View.alone(m(1)), id(1L << 50, 1, 1), m(1), members(1, 2), List.of());
            newcomer.turn();
            newcomer.prepare(m(1), id(1L << 50, 2, 1));
            assertThat(newcomer.state()).isEqualTo("answered");
        }

        @Test
        void promiseThatCannotBeDoesNotRaiseBallots() {
            Packet advert = MembershipScene.advertOf(m(2), first.view, id(Long.MAX_VALUE, 1, 2), m(1), members(1, 2, 3), List.of());
            refuses(first, m(2), advert, DropReason.IMPLAUSIBLE);
            ViewId ballot = restarted();
            assertThat(ballot.number()).isBetween(3L, 10L);
            refuses(first, m(2), MembershipScene.nack(ballot, id(Long.MAX_VALUE, 1, 2), 5, m(2)), DropReason.IMPLAUSIBLE);
            refuses(first, m(2), MembershipScene.nack(ballot, id(5, 1, 2), Long.MAX_VALUE, m(2)), DropReason.IMPLAUSIBLE);
        }

        @Test
        void lieWithinTheMarginMovesTheNumbersByItAndTheyGrowOn() {
            long jump = 2 + Authority.JUMP_MAX;
            first.advert(m(2), first.view, id(jump, 1, 2), m(1), members(1, 2, 3), List.of());
            first.turn();
            assertThat(restarted().number()).isBetween(jump, jump + 1);
        }

        @Test
        void ageThatCannotBeIsRefused() {
            Packet packet = MembershipScene.control(MembershipMessage.ADVERT);
            new Advert(member.view.id(), member.view.id(), m(3), 0).appendTo(packet, new Advert.Nothing());
            refuses(member, m(3), packet, DropReason.IMPLAUSIBLE);
            Packet later = MembershipScene.control(MembershipMessage.ADVERT);
            new Advert(member.view.id(), member.view.id(), m(3), 6).appendTo(later, new Advert.Nothing());
            refuses(member, m(3), later, DropReason.IMPLAUSIBLE);
        }

        @Test
        void memberOfTheViewIsAsOldAsTheViewSays() {
            Packet packet = MembershipScene.control(MembershipMessage.ADVERT);
            new Advert(member.view.id(), member.view.id(), m(3), 2).appendTo(packet, new Advert.Nothing());
            member.layer.receive(m(3), packet);
            member.turn();
            member.prepare(m(1), BALLOT);
            assertThat(member.state()).as("1 is still the oldest").isEqualTo("answered");
        }

        @Test
        void ageZeroInADecisionIsRefused() {
            answer();
            Packet message = cut(BALLOT, next(members(1, 2, 3)), new long[] {5, 0, 5}, new TreeMap<>());
            refuses(member, m(1), message, DropReason.IMPLAUSIBLE);
        }

        @Test
        void nobodyHasMoreOfAPresentSenderThanItHasSent() {
            ViewId ballot = restarted();
            first.frozen(vector(1, 4));
            first.forget();
            first.ack(m(2), ballot, first.view, vector(1, 1_000_000, 3, 9));
            first.ack(m(3), ballot, first.view, vector(1, 4, 3, 2));
            assertThat(first.ballotMessages())
                    .filteredOn(text -> text.startsWith("CUT"))
                    .isNotEmpty()
                    .allMatch(text -> text.contains("{n1=4, n3=2}"));
        }
    }

    /** 1 starts a ballot, because 2 and 3 have lost each other. */
    private ViewId restarted() {
        first.advert(m(3), first.view, first.view.id(), m(1), members(1, 2, 3), members(2));
        first.turn();
        first.layer.advance(TIMING.holdBackNanos());
        return first.layer.raised.stream()
                .filter(Signal.ViewChange.Freeze.class::isInstance)
                .map(signal -> ((Signal.ViewChange.Freeze) signal).ballot())
                .reduce((before, last) -> last)
                .orElseThrow();
    }
}
