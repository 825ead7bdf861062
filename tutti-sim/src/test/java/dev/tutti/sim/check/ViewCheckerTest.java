package dev.tutti.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.View;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The checks of views see the histories that break them, and no others. */
class ViewCheckerTest extends ToldHistory {

    @Test
    void s3SeesAViewWithoutItsMember() {
        see(p, view(2, q, r));
        assertThat(violated()).contains("S3");
    }

    @Test
    void s4SeesANumberThatDoesNotGrow() {
        install(3, p, q);
        install(3, q, p);
        assertThat(violated()).containsExactly("S4");
    }

    @Test
    void s6SeesTwoContentsUnderOneId() {
        View one = view(2, p, q);
        View other = new View(one.id(), List.of(q, p), one.parts());
        see(p, one);
        see(q, other);
        assertThat(violated()).contains("S6");
    }

    @Test
    void s10SeesATransitionalSetWithOneWhoCameFromElsewhere() {
        install(2, p, q);
        View record = view(4, p, q);
        install(3, q, r);
        see(p, record);
        see(q, record);
        assertThat(violated()).contains("S10");
    }

    @Test
    void s12SeesTwoThatWereNeverSeparatedAndWentDifferentWays() {
        install(2, p, q);
        View between = view(3, p, q);
        see(p, between);
        install(4, p, q);
        assertThat(violated()).contains("S12");
    }

    @Test
    void s12DoesNotMindTwoThatAViewHasSeparated() {
        install(2, p, q);
        install(3, p);
        install(4, q);
        install(5, p, q);
        assertThat(violated()).isEmpty();
    }
}
