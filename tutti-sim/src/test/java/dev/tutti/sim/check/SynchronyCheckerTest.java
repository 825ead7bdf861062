package dev.tutti.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The checks of virtual synchrony and of weak total order see the histories that break them, and no others. */
class SynchronyCheckerTest extends ToldHistory {

    @Test
    void whatIsOutOfBandIsAtAllWhoGoOnTogether() {
        install(2, p, q, r);
        sendUrgent(r, null, 1);
        deliverUrgent(p, r, null, 1);
        history.add(new History.Crashed(r));
        install(3, p, q);
        assertThat(violated()).containsExactly("S9");
    }

    @Test
    void s9SeesTwoThatGoTogetherAndDeliveredDifferently() {
        install(2, p, q, r);
        send(r, 1);
        deliver(p, r, 1);
        install(3, p, q);
        assertThat(violated()).containsExactly("S9");
    }

    @Test
    void s14SeesTwoThatGoTogetherAndDeliveredInDifferentOrders() {
        install(2, p, q);
        send(p, 1);
        send(q, 1);
        deliver(q, p, 1);
        deliver(p, q, 1);
        assertThat(violatedAtRest(p, q)).isEmpty();
        assertThat(names(PropertyChecker.violationsAtRest(Promise.TOTAL, history, List.of(p, q))))
                .containsExactly("S14");
        install(3, p, q);
        assertThat(violated()).isEmpty();
        assertThat(violated(Promise.TOTAL)).containsExactly("S14");
    }
}
