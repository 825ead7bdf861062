package dev.tutti.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import org.junit.jupiter.api.Test;

/** The checks of single messages see the histories that break them. */
class MessageCheckerTest extends ToldHistory {

    @Test
    void whatIsOutOfBandComesOnceAndAsItWasSent() {
        install(2, p, q);
        sendUrgent(p, q, 1);
        deliverUrgent(q, p, q, 1);
        deliverUrgent(q, p, q, 1);
        history.add(new History.Delivered(q, new History.Message(p, q, true, 1, 5)));
        assertThat(violated()).containsExactlyInAnyOrder("S1", "S2", "S11");
    }

    @Test
    void s1SeesAMessageThatNobodySent() {
        install(2, p, q);
        deliver(q, p, 1);
        assertThat(violated()).contains("S1");
    }

    @Test
    void s1SeesChangedContent() {
        install(2, p, q);
        send(p, 1);
        history.add(new History.Delivered(q, new History.Message(p, null, 1, 4)));
        assertThat(violated()).contains("S1");
    }

    @Test
    void s1SeesAUnicastAtSomebodyElse() {
        install(2, p, q, r);
        history.add(new History.Submitted(p, message(p, q, 1)));
        history.add(new History.Delivered(r, message(p, q, 1)));
        assertThat(violated()).containsExactly("S1");
    }

    @Test
    void s2SeesASecondDelivery() {
        install(2, p, q);
        send(p, 1);
        deliver(q, p, 1);
        deliver(q, p, 1);
        assertThat(violated()).contains("S2");
    }

    @Test
    void s5SeesADeliveryBeforeTheFirstView() {
        Member late = member(9, "late");
        send(p, 1);
        deliver(late, p, 1);
        assertThat(violated()).contains("S5");
    }

    @Test
    void s5SeesSomethingAfterTheEnd() {
        history.add(new History.Left(p, "asked to"));
        send(p, 1);
        assertThat(violated()).containsExactly("S5");
    }

    @Test
    void s7SeesOneMessageInTwoViews() {
        install(2, p, q, r);
        send(p, 1);
        deliver(q, p, 1);
        install(3, p, q, r);
        deliver(r, p, 1);
        assertThat(violated()).contains("S7");
    }

    @Test
    void s18SeesAMessageOfAnotherComponent() {
        install(2, p, q);
        send(r, 1);
        deliver(p, r, 1);
        assertThat(violated()).contains("S18");
    }
}
