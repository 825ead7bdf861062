package dev.tutti.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The checks of safe delivery see the histories that break them, and no others. */
class SafeCheckerTest extends ToldHistory {

    @Test
    void s14SeesASafeMessageAtAnotherPlace() {
        install(2, p, q);
        send(p, 1);
        submit(q, 1);
        deliver(q, q, 1);
        assertThat(violated(Promise.TOTAL)).isEmpty();
        assertThat(violated(Promise.SAFE)).containsExactly("S14");
    }

    @Test
    void s16SeesWhoGoesOnWithoutWhatAnotherHasDeliveredAsSafe() {
        install(2, p, q);
        send(p, 1);
        history.add(new History.Crashed(p));
        install(3, q);
        assertThat(violated(Promise.TOTAL)).isEmpty();
        assertThat(violated(Promise.SAFE)).containsExactly("S16");
    }

    @Test
    void s16DoesNotMindWhatCameAfterATransition() {
        install(2, p, q);
        submit(p, 1);
        history.add(new History.Transition(p));
        deliver(p, p, 1);
        install(3, p);
        install(4, q);
        assertThat(violated(Promise.SAFE)).isEmpty();
    }
}
