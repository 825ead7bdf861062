package dev.tutti.protocols.membership;

import static dev.tutti.protocols.membership.MembershipScene.id;
import static dev.tutti.protocols.membership.MembershipScene.m;
import static dev.tutti.protocols.membership.MembershipScene.members;
import static dev.tutti.protocols.membership.MembershipScene.part;
import static dev.tutti.protocols.membership.MembershipScene.vector;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Transitions of a member's state in the view change. */
class MemberStateTest {

    private static final ViewId BALLOT = id(6, 1, 1);

    private final View view = new View(id(5, 1, 1), members(1, 2), List.of());
    private final MemberState.Steady steady = new MemberState.Steady(view);
    private final MemberState.Answered answered = steady.promise(new MemberState.Promise(BALLOT, view.id()));

    private BallotMessage.Cut cut(ViewId ballot, ViewId next, ViewId previous) {
        View record = new View(next, members(1, 2), List.of(part(previous, members(1, 2), vector(1, 3))));
        return new BallotMessage.Cut(ballot, record, new long[] {5, 5}, new TreeMap<>());
    }

    private MemberState.CatchingUp catchingUp(ViewId next) {
        MemberState.CatchingUp catchingUp = answered.take(cut(BALLOT, next, view.id()), m(2));
        assertThat(catchingUp).isNotNull();
        return catchingUp;
    }

    @Test
    void promiseFreezesInEveryState() {
        assertThat(steady.promised()).isEqualTo(view.id());
        assertThat(answered.isSteady()).isFalse();
        assertThat(answered.promised()).isEqualTo(BALLOT);
        MemberState.Promise higher = new MemberState.Promise(id(7, 1, 2), null);
        assertThat(catchingUp(BALLOT).promise(higher)).isEqualTo(new MemberState.Answered(view, higher));
    }

    @Test
    void cutCountsOnlyForThePromisedBallotAndTheInstalledView() {
        assertThat(answered.take(cut(id(6, 2, 1), BALLOT, view.id()), m(2))).as("another ballot").isNull();
        assertThat(answered.take(cut(BALLOT, BALLOT, id(4, 1, 1)), m(2))).as("another view").isNull();
        assertThat(answered.take(cut(BALLOT, BALLOT, view.id()), m(3))).as("another member").isNull();
        assertThat(steady.take(cut(view.id(), view.id(), view.id()), m(2))).as("the ballot has ended").isNull();
        assertThat(catchingUp(BALLOT).part().cut()).isEqualTo(vector(1, 3));
    }

    @Test
    void installationOfThePromisedBallotEndsTheViewChange() {
        MemberState installed = catchingUp(BALLOT).install();
        assertThat(installed).isInstanceOf(MemberState.Steady.class);
        assertThat(installed.view().id()).isEqualTo(BALLOT);
    }

    @Test
    void completionOfAnOlderViewKeepsThePromise() {
        MemberState installed = catchingUp(id(5, 2, 1)).install();
        assertThat(installed).isInstanceOf(MemberState.Answered.class);
        assertThat(installed.view().id()).isEqualTo(id(5, 2, 1));
        assertThat(installed.promised()).isEqualTo(BALLOT);
        assertThat(installed.proposersView()).isEqualTo(view.id());
    }

    @Test
    void refusalDropsTheViewToComeTo() {
        assertThat(catchingUp(BALLOT).retreat()).isEqualTo(answered);
        assertThat(answered.retreat()).isEqualTo(answered);
        assertThat(steady.retreat()).isEqualTo(steady);
    }

    @Test
    void promiseOnRecordOnlyRaises() {
        assertThat(answered.raise(id(9, 1, 3)).promised()).isEqualTo(id(9, 1, 3));
        assertThat(answered.raise(id(2, 1, 3))).isEqualTo(answered);
    }
}
