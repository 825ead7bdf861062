package dev.tutti.protocols.membership;

import static dev.tutti.protocols.membership.MembershipScene.id;
import static dev.tutti.protocols.membership.MembershipScene.m;
import static dev.tutti.protocols.membership.MembershipScene.members;
import static dev.tutti.protocols.membership.MembershipScene.part;
import static dev.tutti.protocols.membership.MembershipScene.steady;
import static dev.tutti.protocols.membership.MembershipScene.vector;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.Signal;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Order in which members catch up when they are behind each other (docs/decisions/0102). */
class StragglersTest {

    private final View first = new View(id(2, 1, 1), members(1, 2, 3), List.of());
    private final View second =
            new View(id(3, 1, 1), members(1, 2, 3), List.of(part(first.id(), members(1, 2, 3), vector(3, 7))));
    private final View third =
            new View(id(4, 1, 1), members(1, 2), List.of(part(second.id(), members(1, 2), vector(1, 5))));
    private final Ballot ballot = new Ballot(id(5, 1, 1), members(1, 2, 3), third);

    @Test
    void whoHasWhatAnotherOneLacksStaysUntilThatOneHasIt() {
        ballot.record(m(1), new Ballot.Answer(third, vector()));
        ballot.record(m(2), new Ballot.Answer(second, vector()));
        ballot.record(m(3), new Ballot.Answer(first, vector()));
        assertThat(ballot.takeStragglers()).containsExactly(new Ballot.Straggler(m(3), second, m(2)));
        assertThat(ballot.hasAnswered(m(2))).isTrue();
        assertThat(ballot.missing()).containsExactly(m(3));
        ballot.record(m(3), new Ballot.Answer(second, vector()));
        assertThat(ballot.takeStragglers()).containsExactly(new Ballot.Straggler(m(2), third, m(1)));
        ballot.record(m(2), new Ballot.Answer(third, vector()));
        assertThat(ballot.takeStragglers()).as("3 is not in the third view").isEmpty();
        assertThat(ballot.decide().view().parts()).hasSize(2);
    }

    /** The run of gap_onlystragglers in spec/README.md: 3 has completed a view without those that went on from it with 4. */
    @Test
    void memberThatHasGoneItsWayInAnotherBallotIsLeftOutForOneView() {
        View before = new View(id(2, 1, 2), members(2, 3), List.of());
        View alone = new View(id(2, 1, 4), members(4), List.of());
        List<View.Part> merged = List.of(part(before.id(), members(2, 3), vector()), part(alone.id(), members(4), vector()));
        View completed = new View(id(3, 1, 2), members(2, 3, 4), merged);
        List<View.Part> without3 = List.of(part(before.id(), members(3), vector()), part(completed.id(), members(4), vector()));
        View gone = new View(id(4, 1, 1), members(1, 3, 4), without3);
        Ballot later = new Ballot(id(5, 1, 1), members(1, 3, 4), gone);
        later.record(m(1), new Ballot.Answer(gone, vector()));
        later.record(m(3), new Ballot.Answer(completed, vector()));
        later.record(m(4), new Ballot.Answer(gone, vector()));
        assertThat(later.divergent()).containsExactly(m(3));
        assertThat(later.takeStragglers()).isEmpty();
    }

    @Test
    void memberOfAViewThatOthersHaveLeftWithoutItIsNotDivergent() {
        ballot.record(m(1), new Ballot.Answer(third, vector()));
        ballot.record(m(2), new Ballot.Answer(third, vector()));
        ballot.record(m(3), new Ballot.Answer(second, vector()));
        assertThat(ballot.divergent()).isEmpty();
    }

    @Nested
    class OfARunningBallot {

        /** Member 1, coordinator of 2.1@n1 = {1, 2, 3}. */
        private final MembershipScene coordinator = steady(1, 1, 2, 3);

        private final View ahead = new View(
                id(3, 1, 2),
                members(1, 2, 3),
                List.of(part(coordinator.view.id(), members(1, 2, 3), vector(1, 4, 2, 2, 3, 1))));

        @Test
        void areCompletedWithAHolderOfTheirPart_D3() {
            ViewId ballot = restartAbove(ahead.id());
            coordinator.ack(m(2), ballot, ahead, vector());
            coordinator.ack(m(3), ballot, coordinator.view, vector(1, 4));
            assertThat(coordinator.ballotMessages())
                    .as("3 is to come to 3.1@n2 with the help of 2")
                    .containsExactly("CUT 3.2@n1 view 3.1@n2 [n1, n2, n3] part 2.1@n1[n1, n2, n3]{n1=4, n2=2, n3=1}"
                            + " n1@n2 n2@n2 n3@n2 to n3");
            assertThat(coordinator.count("stragglers-completed")).as("the coordinator is one itself").isEqualTo(2);
            assertThat(coordinator.layer.takeRaised(Signal.ViewChange.Flush.class)).hasSize(1);
            coordinator.reached(ballot);
            assertThat(coordinator.view).isEqualTo(ahead);
            coordinator.frozen(vector());
            coordinator.ack(m(3), ballot, ahead, vector());
            assertThat(coordinator.ballotMessages())
                    .containsExactly(
                            "CUT 3.2@n1 view 3.2@n1 [n1, n2, n3] part 3.1@n2[n1, n2, n3]{} to n2",
                            "CUT 3.2@n1 view 3.2@n1 [n1, n2, n3] part 3.1@n2[n1, n2, n3]{} to n3");
        }

        @Test
        void areNotCompletedIfOnlyOtherPartsHaveInstalled_D3() {
            View foreign = new View(
                    id(3, 1, 2),
                    members(1, 2, 3),
                    List.of(
                            part(id(2, 1, 1), members(1, 3), vector(3, 1)),
                            part(id(1, 1, 2), members(2), vector())));
            ViewId ballot = restartAbove(foreign.id());
            coordinator.ack(m(2), ballot, foreign, vector());
            coordinator.ack(m(3), ballot, coordinator.view, vector(3, 0));
            assertThat(coordinator.ballotMessages())
                    .contains("CUT 3.2@n1 view 3.2@n1 [n1, n2, n3] part 2.1@n1[n1, n3]{n1=4} part 3.1@n2[n2]{} to n2");
            assertThat(coordinator.count("stragglers-completed")).isZero();
        }

        @Test
        void takeTheHighestOfSeveralViews() {
            View higher = new View(id(4, 1, 3), ahead.members(), ahead.parts());
            ViewId ballot = restartAbove(higher.id());
            coordinator.ack(m(2), ballot, ahead, vector());
            coordinator.ack(m(3), ballot, higher, vector());
            assertThat(coordinator.layer.takeRaised(Signal.ViewChange.Flush.class)).hasSize(1);
            coordinator.reached(ballot);
            assertThat(coordinator.view.id()).isEqualTo(higher.id());
        }

        /** Schedule 298: 2 and 4 have come to a view with 3, which 4 has left for another one that has 3 too. */
        @Test
        void areLeftOutIfTheyWouldHaveToGoTwoWays_S12() {
            Ballot ballot = new Ballot(id(5, 1, 1), members(1, 2, 3, 4), coordinator.view);
            ballot.record(m(1), new Ballot.Answer(View.alone(m(1)), vector()));
            ballot.record(m(2), new Ballot.Answer(leftBehind(coordinator.view.id()), vector()));
            ballot.record(m(3), new Ballot.Answer(coordinator.view, vector()));
            assertThat(ballot.divergent()).isEmpty();
            ballot.record(m(4), new Ballot.Answer(later(coordinator.view.id()), vector()));
            assertThat(ballot.divergent()).containsExactly(m(3));
        }

        @Test
        void areLeftOutByAnotherBallot_S12() {
            MembershipScene four = steady(1, 1, 2, 3, 4);
            four.advert(m(2), four.view, id(9, 1, 2), m(1), members(1, 2, 3, 4), List.of());
            four.turn();
            four.frozen(vector());
            four.ballotMessages();
            ViewId ballot = id(9, 2, 1);
            four.ack(m(2), ballot, leftBehind(four.view.id()), vector());
            four.ack(m(3), ballot, four.view, vector());
            four.ack(m(4), ballot, later(four.view.id()), vector());
            assertThat(four.ballotMessages()).containsExactly("PREPARE 9.3@n1 to n2", "PREPARE 9.3@n1 to n4");
            assertThat(four.count("stragglers-completed")).isZero();
        }

        private View leftBehind(ViewId before) {
            return new View(
                    id(3, 1, 2),
                    members(2, 3, 4),
                    List.of(part(before, members(2, 3), vector()), part(id(1, 1, 4), members(4), vector())));
        }

        private View later(ViewId before) {
            return new View(
                    id(4, 1, 5),
                    members(3, 4),
                    List.of(part(before, members(3), vector()), part(id(3, 1, 2), members(4), vector())));
        }

        private ViewId restartAbove(ViewId promised) {
            coordinator.advert(m(2), coordinator.view, promised, m(1), members(1, 2, 3), List.of());
            coordinator.turn();
            coordinator.frozen(vector(1, 4));
            coordinator.ballotMessages();
            return id(promised.number(), promised.attempt() + 1, 1);
        }
    }
}
