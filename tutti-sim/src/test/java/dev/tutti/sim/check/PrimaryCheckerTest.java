package dev.tutti.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The check of the chain of primary views sees the histories that break it, and no others. */
class PrimaryCheckerTest extends ToldHistory {

    private static View primary(long number, long epoch, ViewId previous, List<Long> voters, Member... members) {
        return new View(
                new ViewId(number, 1, members[0]),
                List.of(members),
                List.of(),
                new View.Primary(epoch, previous, voters, List.of()));
    }

    @Test
    void s20SeesTwoSuccessorsOfOnePrimaryView() {
        View first = primary(2, 1, new ViewId(1, 1, p), List.of(1L, 2L, 3L), p, q, r);
        List.of(p, q, r).forEach(member -> see(member, first));
        see(p, primary(3, 2, first.id(), List.of(1L, 2L), p, q));
        assertThat(violated()).doesNotContain("S20");
        see(r, primary(4, 2, first.id(), List.of(3L, 2L), r, q));
        assertThat(violated()).contains("S20");
    }

    @Test
    void s20SeesASuccessorWithoutAMajority() {
        View first = primary(2, 1, new ViewId(1, 1, p), List.of(1L, 2L, 3L), p, q, r);
        List.of(p, q, r).forEach(member -> see(member, first));
        see(r, primary(3, 2, first.id(), List.of(3L), r));
        assertThat(violated()).contains("S20");
    }

    @Test
    void s20DoesNotMindThoseWhoLeaveWithTheirConsent() {
        View first = primary(2, 1, new ViewId(1, 1, p), List.of(1L, 2L), p, q);
        List.of(p, q).forEach(member -> see(member, first));
        View second = primary(3, 2, first.id(), List.of(2L), q);
        View.Primary place = new View.Primary(2, first.id(), List.of(2L), List.of(1L));
        see(q, new View(second.id(), second.members(), second.parts(), place));
        assertThat(violated()).doesNotContain("S20");
    }

    @Test
    void s20SeesAPrimaryViewThatFollowsAnother() {
        View first = primary(2, 1, new ViewId(1, 1, p), List.of(1L, 2L), p, q);
        List.of(p, q).forEach(member -> see(member, first));
        see(p, primary(4, 2, new ViewId(3, 1, q), List.of(1L, 2L), p, q));
        assertThat(violated()).contains("S20");
    }
}
