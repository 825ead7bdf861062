package dev.tutti.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The check of causal order sees the histories that break it, and no others. */
class CausalCheckerTest extends ToldHistory {

    @Test
    void s13SeesAnAnswerBeforeItsQuestion() {
        install(2, p, q, r);
        send(p, 1);
        deliver(q, p, 1);
        send(q, 1);
        deliver(r, q, 1);
        assertThat(violated()).isEmpty();
        assertThat(violated(Promise.TOTAL)).as("the question may be lost").isEmpty();
        assertThat(violated(Promise.CAUSAL)).containsExactly("S13");
        deliver(r, p, 1);
        assertThat(violated(Promise.TOTAL)).containsExactly("S13");
    }

    @Test
    void s13DoesNotMindWhatDoesNotFollow() {
        install(2, p, q, r);
        send(p, 1);
        send(q, 1);
        deliver(r, q, 1);
        deliver(r, p, 1);
        assertThat(violated(Promise.CAUSAL)).isEmpty();
    }
}
