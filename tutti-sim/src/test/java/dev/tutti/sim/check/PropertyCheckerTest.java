package dev.tutti.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each check sees the trace that breaks it, and is silent about one that does not. */
class PropertyCheckerTest {

    private final Member p = member(1, "p");
    private final Member q = member(2, "q");
    private final Member r = member(3, "r");
    private final History history = new History();
    private final Map<Member, View> current = new LinkedHashMap<>();

    private static Member member(long incarnation, String name) {
        return new Member(new NodeId(incarnation, name, name + ":1"), 1);
    }

    @BeforeEach
    void everybodyIsAloneAtFirst() {
        for (Member member : List.of(p, q, r)) {
            see(member, View.alone(member));
            history.add(new History.Joined(member));
        }
    }

    // ------------------------------------------------------------------ telling a story

    private void see(Member member, View view) {
        history.add(new History.Viewed(member, view));
        current.put(member, view);
    }

    /** A view of {@code members} whose parts are as they are: who comes from one view is in one part. */
    private View view(long number, Member... members) {
        TreeMap<ViewId, List<Member>> groups = new TreeMap<>();
        for (Member member : members) {
            groups.computeIfAbsent(current.get(member).id(), id -> new ArrayList<>()).add(member);
        }
        List<View.Part> parts = new ArrayList<>();
        groups.forEach((id, part) -> parts.add(new View.Part(id, part, new TreeMap<>())));
        return new View(new ViewId(number, 1, members[0]), List.of(members), parts);
    }

    private View install(long number, Member... members) {
        View view = view(number, members);
        for (Member member : members) {
            see(member, view);
        }
        return view;
    }

    private static History.Message message(Member sender, @Nullable Member receiver, long index) {
        return new History.Message(sender, receiver, index, 17 * index);
    }

    /** Submits, and delivers to itself. */
    private void send(Member sender, long index) {
        history.add(new History.Submitted(sender, message(sender, null, index)));
        deliver(sender, sender, index);
    }

    private void deliver(Member receiver, Member sender, long index) {
        history.add(new History.Delivered(receiver, message(sender, null, index)));
    }

    private List<String> violated() {
        return names(PropertyChecker.violations(history));
    }

    private List<String> violatedAtRest(Member... present) {
        return names(PropertyChecker.violationsAtRest(history, List.of(present)));
    }

    private static List<String> names(Collection<Violation> violations) {
        return violations.stream().map(Violation::property).distinct().toList();
    }

    // ------------------------------------------------------------------ a good one

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

    // ------------------------------------------------------------------ out of band

    private static History.Message urgent(Member sender, @Nullable Member receiver, long index) {
        return new History.Message(sender, receiver, true, index, 17 * index);
    }

    private void sendUrgent(Member sender, @Nullable Member receiver, long index) {
        history.add(new History.Submitted(sender, urgent(sender, receiver, index)));
    }

    private void deliverUrgent(Member receiver, Member sender, @Nullable Member to, long index) {
        history.add(new History.Delivered(receiver, urgent(sender, to, index)));
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
    void whatIsOutOfBandIsAtAllWhoGoOnTogether() {
        install(2, p, q, r);
        sendUrgent(r, null, 1);
        deliverUrgent(p, r, null, 1);
        history.add(new History.Crashed(r));
        install(3, p, q);
        assertThat(violated()).containsExactly("S9");
    }

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

    // ------------------------------------------------------------------ safety

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
    void s6SeesTwoContentsUnderOneId() {
        View one = view(2, p, q);
        View other = new View(one.id(), List.of(q, p), one.parts());
        see(p, one);
        see(q, other);
        assertThat(violated()).contains("S6");
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
    void s8SeesAMessageInAViewThatItWasNotSentIn() {
        install(2, p, q);
        history.add(new History.Submitted(p, message(p, null, 1)));
        deliver(q, p, 1);
        install(3, p, q);
        deliver(p, p, 1);
        assertThat(violated()).contains("S8");
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
    void s10SeesATransitionalSetWithOneWhoCameFromElsewhere() {
        install(2, p, q);
        View record = view(4, p, q);
        install(3, q, r);
        see(p, record);
        see(q, record);
        assertThat(violated()).contains("S10");
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

    @Test
    void s18SeesAMessageOfAnotherComponent() {
        install(2, p, q);
        send(r, 1);
        deliver(p, r, 1);
        assertThat(violated()).contains("S18");
    }

    @Test
    void s22SeesAMessageOfAReplacedIncarnation() {
        install(2, p, q, r);
        send(r, 1);
        Member again = new Member(new NodeId(30, "r", "r:1"), 1);
        see(again, View.alone(again));
        install(3, p, q, again);
        deliver(p, r, 1);
        assertThat(violated()).contains("S22");
    }

    @Test
    void s20SeesTwoSuccessorsOfOnePrimaryView() {
        View first = primary(2, 1, new ViewId(1, 1, p), List.of(1L, 2L, 3L), p, q, r);
        List.of(p, q, r).forEach(member -> see(member, first));
        see(p, primary(3, 2, first.id(), List.of(1L, 2L), p, q));
        assertThat(violated()).doesNotContain("S20");
        see(r, primary(4, 2, first.id(), List.of(3L, 2L), r, q));
        assertThat(violated()).contains("S20");
    }

    @Test
    void s20SeesASuccessorWithoutAMajority() {
        View first = primary(2, 1, new ViewId(1, 1, p), List.of(1L, 2L, 3L), p, q, r);
        List.of(p, q, r).forEach(member -> see(member, first));
        see(r, primary(3, 2, first.id(), List.of(3L), r));
        assertThat(violated()).contains("S20");
    }

    @Test
    void s20DoesNotMindThoseWhoLeaveWithTheirConsent() {
        View first = primary(2, 1, new ViewId(1, 1, p), List.of(1L, 2L), p, q);
        List.of(p, q).forEach(member -> see(member, first));
        View second = primary(3, 2, first.id(), List.of(2L), q);
        View.Primary place = new View.Primary(2, first.id(), List.of(2L), List.of(1L));
        see(q, new View(second.id(), second.members(), second.parts(), place));
        assertThat(violated()).doesNotContain("S20");
    }

    @Test
    void s20SeesAPrimaryViewThatFollowsAnother() {
        View first = primary(2, 1, new ViewId(1, 1, p), List.of(1L, 2L), p, q);
        List.of(p, q).forEach(member -> see(member, first));
        see(p, primary(4, 2, new ViewId(3, 1, q), List.of(1L, 2L), p, q));
        assertThat(violated()).contains("S20");
    }

    private static View primary(long number, long epoch, ViewId previous, List<Long> voters, Member... members) {
        return new View(
                new ViewId(number, 1, members[0]),
                List.of(members),
                List.of(),
                new View.Primary(epoch, previous, voters, List.of()));
    }

    @Test
    void s22SeesTwoIncarnationsInOneView() {
        Member again = new Member(new NodeId(30, "r", "r:1"), 1);
        see(again, View.alone(again));
        install(3, p, again, r);
        assertThat(violated()).contains("S22");
    }

    // ------------------------------------------------------------------ at rest

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

    // ------------------------------------------------------------------ order

    private List<String> violated(PropertyChecker.Promise promise) {
        return names(PropertyChecker.violations(promise, history));
    }

    private void submit(Member sender, long index) {
        history.add(new History.Submitted(sender, message(sender, null, index)));
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
        assertThat(violated(PropertyChecker.Promise.TOTAL)).isEmpty();
        assertThat(violated(PropertyChecker.Promise.SAFE)).isEmpty();
        assertThat(violated()).contains("S8");
    }

    @Test
    void s8SeesAMessageThatItsSenderHasNotDeliveredInTheView() {
        install(2, p, q);
        submit(p, 1);
        deliver(q, p, 1);
        install(3, p);
        assertThat(violated(PropertyChecker.Promise.TOTAL)).containsExactly("S8");
    }

    @Test
    void s13SeesAnAnswerBeforeItsQuestion() {
        install(2, p, q, r);
        send(p, 1);
        deliver(q, p, 1);
        send(q, 1);
        deliver(r, q, 1);
        assertThat(violated()).isEmpty();
        assertThat(violated(PropertyChecker.Promise.TOTAL)).as("the question may be lost").isEmpty();
        assertThat(violated(PropertyChecker.Promise.CAUSAL)).containsExactly("S13");
        deliver(r, p, 1);
        assertThat(violated(PropertyChecker.Promise.TOTAL)).containsExactly("S13");
    }

    @Test
    void s13DoesNotMindWhatDoesNotFollow() {
        install(2, p, q, r);
        send(p, 1);
        send(q, 1);
        deliver(r, q, 1);
        deliver(r, p, 1);
        assertThat(violated(PropertyChecker.Promise.CAUSAL)).isEmpty();
    }

    @Test
    void s14SeesTwoThatGoTogetherAndDeliveredInDifferentOrders() {
        install(2, p, q);
        send(p, 1);
        send(q, 1);
        deliver(q, p, 1);
        deliver(p, q, 1);
        assertThat(violatedAtRest(p, q)).isEmpty();
        assertThat(names(PropertyChecker.violationsAtRest(PropertyChecker.Promise.TOTAL, history, List.of(p, q))))
                .containsExactly("S14");
        install(3, p, q);
        assertThat(violated()).isEmpty();
        assertThat(violated(PropertyChecker.Promise.TOTAL)).containsExactly("S14");
    }

    @Test
    void s14SeesASafeMessageAtAnotherPlace() {
        install(2, p, q);
        send(p, 1);
        submit(q, 1);
        deliver(q, q, 1);
        assertThat(violated(PropertyChecker.Promise.TOTAL)).isEmpty();
        assertThat(violated(PropertyChecker.Promise.SAFE)).containsExactly("S14");
    }

    @Test
    void s16SeesWhoGoesOnWithoutWhatAnotherHasDeliveredAsSafe() {
        install(2, p, q);
        send(p, 1);
        history.add(new History.Crashed(p));
        install(3, q);
        assertThat(violated(PropertyChecker.Promise.TOTAL)).isEmpty();
        assertThat(violated(PropertyChecker.Promise.SAFE)).containsExactly("S16");
    }

    @Test
    void s16DoesNotMindWhatCameAfterATransition() {
        install(2, p, q);
        submit(p, 1);
        history.add(new History.Transition(p));
        deliver(p, p, 1);
        install(3, p);
        install(4, q);
        assertThat(violated(PropertyChecker.Promise.SAFE)).isEmpty();
    }

    // ------------------------------------------------------------------ receipts

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
    // ------------------------------------------------------------------ over several views

    private void submitTo(Member sender, Member receiver, long index) {
        history.add(new History.Submitted(sender, message(sender, receiver, index)));
    }

    private History.Message outOfBand(Member sender, long index) {
        return new History.Message(sender, null, true, index, 17 * index);
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
        history.add(new History.Submitted(p, outOfBand(p, 1)));
        install(3, p, q);
        assertThat(violatedAtRest(p, q)).containsExactly("L2");
    }

    // ------------------------------------------------------------------ unreliable

    @Test
    void l7SeesAGroupThatDeliversNothing() {
        install(2, p, q);
        send(p, 1);
        assertThat(names(PropertyChecker.violationsAtRest(PropertyChecker.Promise.UNRELIABLE, history, List.of(p, q))))
                .containsExactly("L7");
    }

    @Test
    void l7DoesNotMindWhatWasLostBeforeTheLast() {
        install(2, p, q);
        send(p, 1);
        send(p, 2);
        deliver(q, p, 2);
        assertThat(names(PropertyChecker.violationsAtRest(PropertyChecker.Promise.UNRELIABLE, history, List.of(p, q))))
                .isEmpty();
    }

    // ------------------------------------------------------------------ what is told

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
