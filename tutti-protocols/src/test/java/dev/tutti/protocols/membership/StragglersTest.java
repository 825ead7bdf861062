package dev.tutti.protocols.membership;

import static dev.tutti.protocols.membership.MembershipScene.id;
import static dev.tutti.protocols.membership.MembershipScene.m;
import static dev.tutti.protocols.membership.MembershipScene.members;
import static dev.tutti.protocols.membership.MembershipScene.part;
import static dev.tutti.protocols.membership.MembershipScene.vector;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.View;
import java.util.List;
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
}
