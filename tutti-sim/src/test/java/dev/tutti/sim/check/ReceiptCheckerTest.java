package dev.tutti.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The checks of receipts see the histories that break them, and no others. */
class ReceiptCheckerTest extends ToldHistory {

    private void ask(Member sender, long index) {
        history.add(new History.Asked(sender, message(sender, null, index)));
    }

    private void tell(Member sender, long index, Delivery delivery) {
        history.add(new History.Told(sender, message(sender, null, index), delivery));
    }

    private static Delivery by(View sentIn, View knownIn, List<Member> deliveredBy, List<Member> missedBy) {
        List<Member> unknown = new ArrayList<>(sentIn.members());
        unknown.removeAll(deliveredBy);
        unknown.removeAll(missedBy);
        return new Delivery(sentIn, knownIn, deliveredBy, missedBy, unknown);
    }

    @Test
    void s17SeesAMemberThatGoesOnWithoutWhatItIsSaidToDeliver() {
        View view = install(2, p, q);
        send(p, 1);
        tell(p, 1, by(view, view, List.of(p, q), List.of()));
        assertThat(violated()).as("q may still deliver it").isEmpty();
        history.add(new History.Crashed(p));
        install(3, q);
        assertThat(violated()).containsExactly("S17");
    }

    @Test
    void s17SeesAMemberThatWentOnWithoutWhatItIsSaidToHave() {
        View view = install(2, p, q);
        send(p, 1);
        View next = view(3, p);
        see(p, next);
        install(4, q);
        tell(p, 1, by(view, next, List.of(p, q), List.of()));
        assertThat(violated()).containsExactly("S17");
    }

    @Test
    void s17SeesAMemberThatDeliversWhatItIsSaidToMiss() {
        View view = install(2, p, q);
        send(p, 1);
        tell(p, 1, by(view, view, List.of(p), List.of(q)));
        assertThat(violated()).isEmpty();
        deliver(q, p, 1);
        assertThat(violated()).containsExactly("S17");
    }

    @Test
    void s17SeesAMemberThatHasDeliveredWhatItIsSaidToMiss() {
        View view = install(2, p, q);
        send(p, 1);
        deliver(q, p, 1);
        tell(p, 1, by(view, view, List.of(p), List.of(q)));
        assertThat(violated()).containsExactly("S17");
    }

    @Test
    void s17SeesAReceiverThatNothingIsSaidOf() {
        View view = install(2, p, q);
        send(p, 1);
        tell(p, 1, new Delivery(view, view, List.of(p), List.of(), List.of()));
        assertThat(violated()).containsExactly("S17");
    }

    @Test
    void s17DoesNotMindAMemberThatCrashes() {
        View view = install(2, p, q);
        send(p, 1);
        tell(p, 1, by(view, view, List.of(p, q), List.of()));
        history.add(new History.Crashed(q));
        install(3, p);
        assertThat(PropertyChecker.violationsAtRest(history, List.of(p))).isEmpty();
    }

    @Test
    void l3SeesASenderThatIsNeverTold() {
        View view = install(2, p, q);
        send(p, 1);
        ask(p, 1);
        deliver(q, p, 1);
        tell(p, 1, by(view, view, List.of(p), List.of()));
        assertThat(violated()).isEmpty();
        assertThat(violatedAtRest(p, q)).containsExactly("L3");
        tell(p, 1, by(view, view, List.of(p, q), List.of()));
        assertThat(violatedAtRest(p, q)).isEmpty();
    }
}
