package dev.tutti.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories that break no guarantee. */
class PropertyCheckerTest extends ToldHistory {

    @Test
    void nothingIsWrongWithAGroupThatLosesAMemberAndGoesOn() {
        install(2, p, q, r);
        send(p, 1);
        deliver(q, p, 1);
        deliver(r, p, 1);
        send(r, 1);
        deliver(p, r, 1);
        history.add(new History.Crashed(r));
        deliver(q, r, 1);
        install(3, p, q);
        send(q, 1);
        deliver(p, q, 1);
        assertThat(PropertyChecker.violations(history)).isEmpty();
        assertThat(PropertyChecker.violationsAtRest(history, List.of(p, q))).isEmpty();
    }

    @Test
    void whatIsOutOfBandMayOvertakeAndIsCountedApart() {
        install(2, p, q);
        history.add(new History.Submitted(p, message(p, null, 1)));
        sendUrgent(p, null, 1);
        deliverUrgent(q, p, null, 1);
        deliverUrgent(p, p, null, 1);
        deliver(p, p, 1);
        deliver(q, p, 1);
        install(3, p, q);
        assertThat(violated()).isEmpty();
        assertThat(violatedAtRest(p, q)).isEmpty();
    }

    @Test
    void nothingIsWrongWithAMessageThatOthersDeliverBeforeItsSender() {
        install(2, p, q);
        submit(p, 1);
        submit(q, 1);
        deliver(q, p, 1);
        deliver(q, q, 1);
        deliver(p, p, 1);
        deliver(p, q, 1);
        install(3, p, q);
        assertThat(violated(Promise.TOTAL)).isEmpty();
        assertThat(violated(Promise.SAFE)).isEmpty();
        assertThat(violated()).contains("S8");
    }
}
