package dev.tutti.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The checks of progress see what is missing at rest, and nothing that may be missing. */
class ProgressCheckerTest extends ToldHistory {

    @Test
    void whatIsOutOfBandComesAtLast() {
        install(2, p, q);
        sendUrgent(p, null, 1);
        deliverUrgent(p, p, null, 1);
        assertThat(violated()).isEmpty();
        assertThat(violatedAtRest(p, q)).containsExactly("L2");
        deliverUrgent(q, p, null, 1);
        sendUrgent(p, q, 1);
        assertThat(violatedAtRest(p, q)).containsExactly("L2");
        deliverUrgent(q, p, q, 1);
        assertThat(violatedAtRest(p, q)).isEmpty();
    }

    @Test
    void l1SeesAMemberLeftAlone() {
        install(2, p, q);
        assertThat(violated()).isEmpty();
        assertThat(violatedAtRest(p, q, r)).containsExactly("L1");
    }

    @Test
    void l2SeesAMessageThatDidNotArrive() {
        install(2, p, q);
        send(p, 1);
        assertThat(violated()).isEmpty();
        assertThat(violatedAtRest(p, q)).containsExactly("L2");
    }

    @Test
    void l2SeesAMessageThatWasNeverSent() {
        install(2, p, q);
        history.add(new History.Submitted(p, message(p, null, 1)));
        assertThat(violatedAtRest(p, q)).containsExactly("L2");
    }

    @Test
    void l2SeesAUnicastThatDidNotArrive() {
        install(2, p, q);
        history.add(new History.Submitted(p, message(p, q, 1)));
        assertThat(violatedAtRest(p, q)).containsExactly("L2");
    }

    @Test
    void l2SeesAUnicastThatAViewChangeHasSwallowed() {
        install(2, p, q, r);
        submitTo(p, q, 1);
        install(3, p, q);
        assertThat(violatedAtRest(p, q)).containsExactly("L2");
        history.add(new History.Delivered(q, message(p, q, 1)));
        assertThat(violatedAtRest(p, q)).isEmpty();
    }

    @Test
    void l2DoesNotMindAUnicastToOneWhoWasAway() {
        install(2, p, q);
        submitTo(p, q, 1);
        install(3, p);
        see(q, view(4, q));
        install(5, p, q);
        assertThat(violatedAtRest(p, q)).isEmpty();
        submitTo(p, q, 2);
        assertThat(violatedAtRest(p, q)).containsExactly("L2");
    }

    @Test
    void l2SeesAMessageOutOfBandThatAViewChangeHasSwallowed() {
        install(2, p, q);
        history.add(new History.Submitted(p, urgent(p, null, 1)));
        install(3, p, q);
        assertThat(violatedAtRest(p, q)).containsExactly("L2");
    }

    @Test
    void l7SeesAGroupThatDeliversNothing() {
        install(2, p, q);
        send(p, 1);
        assertThat(names(PropertyChecker.violationsAtRest(Promise.UNRELIABLE, history, List.of(p, q))))
                .containsExactly("L7");
    }

    @Test
    void l7DoesNotMindWhatWasLostBeforeTheLast() {
        install(2, p, q);
        send(p, 1);
        send(p, 2);
        deliver(q, p, 2);
        assertThat(names(PropertyChecker.violationsAtRest(Promise.UNRELIABLE, history, List.of(p, q))))
                .isEmpty();
    }
}
