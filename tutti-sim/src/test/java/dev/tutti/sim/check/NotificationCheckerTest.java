package dev.tutti.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import org.junit.jupiter.api.Test;

/** The checks of notifications see the histories that break them. */
class NotificationCheckerTest extends ToldHistory {

    @Test
    void t1SeesAJoinThatNobodyIsToldOf() {
        Member late = member(4, "s");
        see(late, View.alone(late));
        assertThat(violatedAtRest(late)).containsExactly("T1");
        history.add(new History.Joined(late));
        assertThat(violatedAtRest(late)).isEmpty();
    }

    @Test
    void t1SeesAJoinThatIsToldTwice() {
        history.add(new History.Joined(p));
        assertThat(violated()).containsExactly("T1");
    }

    @Test
    void t3SeesASuspensionWithoutItsEnd() {
        install(2, p, q);
        history.add(new History.Suspended(q, "a majority is missing"));
        assertThat(violatedAtRest(p, q)).containsExactly("T3");
        install(3, p, q);
        assertThat(violatedAtRest(p, q)).isEmpty();
    }

    @Test
    void t3AndT4SeeThatNoReasonIsTold() {
        history.add(new History.Suspended(p, " "));
        assertThat(violated()).containsExactly("T3");
        history.add(new History.Left(q, ""));
        assertThat(violated()).containsExactly("T3", "T4");
    }
}
