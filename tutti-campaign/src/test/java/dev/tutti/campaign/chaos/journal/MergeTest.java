package dev.tutti.campaign.chaos.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.chaos.journal.JournalReader.Life;
import dev.tutti.campaign.chaos.journal.JournalReader.Timed;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.sim.check.History;
import dev.tutti.sim.check.Promise;
import dev.tutti.sim.check.PropertyChecker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Lives are merged into one possible history, and a kill does not excuse the others. */
class MergeTest {

    private static final Member A = new Member(new NodeId(1, "a", "h:1"), 1);
    private static final Member B = new Member(new NodeId(2, "b", "h:2"), 1);
    private static final Member C = new Member(new NodeId(3, "c", "h:3"), 1);
    private static final ViewId FIRST = new ViewId(2, 1, A);

    private final Life a = new Life(A, new ArrayList<>());
    private final Life b = new Life(B, new ArrayList<>());
    private final Life c = new Life(C, new ArrayList<>());

    private static View view(ViewId id, List<Member> members, ViewId... previous) {
        List<View.Part> parts = new ArrayList<>();
        if (previous.length == 1) {
            parts.add(new View.Part(previous[0], members, new TreeMap<>()));
        } else {
            for (int index = 0; index < previous.length; index++) {
                parts.add(new View.Part(previous[index], List.of(members.get(index)), new TreeMap<>()));
            }
        }
        return new View(id, members, parts);
    }

    private static View first() {
        return view(FIRST, List.of(A, B, C), alone(A), alone(B), alone(C));
    }

    private static ViewId alone(Member member) {
        return View.alone(member).id();
    }

    /** Puts all three into one view. */
    private void meet() {
        for (Life life : List.of(a, b, c)) {
            at(life, 1, new History.Viewed(life.member(), View.alone(life.member())));
            at(life, 2, new History.Viewed(life.member(), first()));
            at(life, 3, new History.Joined(life.member()));
        }
    }

    private static void at(Life life, long nanos, History.Entry entry) {
        life.entries().add(new Timed(nanos, entry));
    }

    private static History.Message toAll(Member sender, long index) {
        return new History.Message(sender, null, index, 100 + index);
    }

    private static void submit(Life life, long nanos, long index) {
        at(life, nanos, new History.Submitted(life.member(), toAll(life.member(), index)));
    }

    private static void deliver(Life life, long nanos, Member sender, long index) {
        at(life, nanos, new History.Delivered(life.member(), toAll(sender, index)));
    }

    private List<History.Entry> merged(Map<Member, Long> killedAt) {
        List<History.Entry> entries = new ArrayList<>();
        new Merge(List.of(a, b, c), killedAt).into(timed -> entries.add(timed.entry()));
        return entries;
    }

    private static PropertyChecker checked(List<History.Entry> entries) {
        PropertyChecker checker = new PropertyChecker(Promise.RELIABLE);
        entries.forEach(checker::take);
        return checker;
    }

    @Test
    void deliveryThatWasWrittenDownBeforeTheSendersComesAfterIt() {
        meet();
        deliver(b, 10, A, 1);
        deliver(c, 11, A, 1);
        submit(a, 12, 1);
        deliver(a, 20, A, 1);

        List<History.Entry> entries = merged(Map.of());

        assertThat(entries).hasSize(13);
        assertThat(entries.subList(9, 13)).containsExactly(
                new History.Submitted(A, toAll(A, 1)),
                new History.Delivered(A, toAll(A, 1)),
                new History.Delivered(B, toAll(A, 1)),
                new History.Delivered(C, toAll(A, 1)));
        assertThat(checked(entries).violationsAtRest(List.of(A, B, C))).isEmpty();
    }

    @Test
    void messageThatNobodyWroteDownIsFoundAndDoesNotHoldUpTheRest() {
        meet();
        deliver(b, 10, A, 1);
        submit(b, 11, 1);
        deliver(b, 12, B, 1);

        List<History.Entry> entries = merged(Map.of());

        assertThat(entries).hasSize(12);
        assertThat(checked(entries).violations()).anyMatch(violation -> violation.property().equals("S1"));
    }

    @Test
    void killedSenderHasDeliveredWhatOthersHaveFromIt() {
        meet();
        submit(a, 10, 1);
        submit(a, 11, 2);
        deliver(a, 12, A, 1);
        for (Life life : List.of(b, c)) {
            deliver(life, 13, A, 1);
            deliver(life, 14, A, 2);
            at(life, 30, new History.Viewed(life.member(), view(new ViewId(3, 1, B), List.of(B, C), FIRST)));
        }

        List<History.Entry> entries = merged(Map.of(A, 20L));

        assertThat(checked(entries).violationsAtRest(List.of(B, C))).isEmpty();
        assertThat(entries).contains(new History.Delivered(A, toAll(A, 2)), new History.Crashed(A));
    }

    @Test
    void killedSenderHasSeenTheViewThatItSentIn() {
        ViewId second = new ViewId(3, 1, A);
        meet();
        submit(a, 10, 1);
        submit(b, 11, 1);
        deliver(b, 12, B, 1);
        deliver(c, 12, B, 1);
        // The killed member recorded neither the message of b nor the second view.
        for (Life life : List.of(b, c)) {
            at(life, 13, new History.Viewed(life.member(), view(second, List.of(A, B, C), FIRST)));
            deliver(life, 14, A, 1);
        }

        List<History.Entry> entries = merged(Map.of(A, 20L));

        assertThat(checked(entries).violations()).isEmpty();
        assertThat(entries).contains(new History.Delivered(A, toAll(B, 1)));
    }

    @Test
    void survivorsOfAKillAreStillCheckedAgainstEachOther() {
        meet();
        submit(a, 10, 1);
        submit(a, 11, 2);
        deliver(b, 13, A, 1);
        deliver(b, 14, A, 2);
        deliver(c, 13, A, 1);
        for (Life life : List.of(b, c)) {
            at(life, 30, new History.Viewed(life.member(), view(new ViewId(3, 1, B), List.of(B, C), FIRST)));
        }

        assertThat(checked(merged(Map.of(A, 20L))).violations())
                .anyMatch(violation -> violation.property().equals("S9"));
    }

    @Test
    void nothingComesAfterAKill() {
        meet();
        submit(a, 10, 1);

        List<History.Entry> entries = merged(Map.of(A, 5L));

        assertThat(entries.indexOf(new History.Crashed(A)))
                .isGreaterThan(entries.indexOf(new History.Submitted(A, toAll(A, 1))));
        assertThat(checked(entries).violations()).isEmpty();
    }
}
