package dev.tutti.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The checks of sending view delivery and of FIFO order see the histories that break them. */
class FifoCheckerTest extends ToldHistory {

    @Test
    void s8SeesAMessageInAViewThatItWasNotSentIn() {
        install(2, p, q);
        history.add(new History.Submitted(p, message(p, null, 1)));
        deliver(q, p, 1);
        install(3, p, q);
        deliver(p, p, 1);
        assertThat(violated()).contains("S8");
    }

    @Test
    void s11SeesAGap() {
        install(2, p, q);
        send(p, 1);
        send(p, 2);
        deliver(q, p, 2);
        assertThat(violated()).containsExactly("S11");
    }

    @Test
    void s11SeesTheWrongOrder() {
        install(2, p, q);
        send(p, 1);
        send(p, 2);
        deliver(q, p, 2);
        deliver(q, p, 1);
        assertThat(violated()).contains("S11");
    }

    @Test
    void s11SeesTheWrongOrderOfUnicasts() {
        install(2, p, q);
        history.add(new History.Submitted(p, message(p, q, 1)));
        history.add(new History.Submitted(p, message(p, q, 2)));
        history.add(new History.Delivered(q, message(p, q, 2)));
        history.add(new History.Delivered(q, message(p, q, 1)));
        assertThat(violated()).containsExactly("S11");
    }

    @Test
    void s8SeesAMessageThatItsSenderHasNotDeliveredInTheView() {
        install(2, p, q);
        submit(p, 1);
        deliver(q, p, 1);
        install(3, p);
        assertThat(violated(Promise.TOTAL)).containsExactly("S8");
    }
}
