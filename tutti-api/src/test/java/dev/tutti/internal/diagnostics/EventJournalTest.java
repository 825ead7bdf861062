package dev.tutti.internal.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Event;
import dev.tutti.Event.Kind;
import dev.tutti.Events;
import dev.tutti.Subscription;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.internal.BareHost;
import dev.tutti.protocols.node.NodeEvents;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class EventJournalTest {

    private static final NodeId A = new NodeId(1, "a", "host:1");
    private static final NodeId B = new NodeId(2, "b", "host:2");
    private static final Member MEMBER_A = new Member(A, 1);
    private static final Member MEMBER_B = new Member(B, 1);

    private final Clock clock = new Clock();
    private final EventJournal journal = new EventJournal(clock, NodeEvents.none());

    /** A host that has a clock of its own. */
    private static final class Clock extends BareHost {

        private long nanos;

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public long epochMillis() {
            return nanos / 1_000_000;
        }
    }

    private static View view(long number, Member... members) {
        return new View(new ViewId(number, 1, members[0]), List.of(members), List.of());
    }

    private List<String> texts() {
        return journal.since(0).list().stream().map(Event::toString).toList();
    }

    @Test
    void countsWhatAReaderMissed() {
        for (int index = 0; index < EventJournal.EVENTS_MAX + 5; index++) {
            journal.on(Kind.STATE, "g", "event", "", Map.of());
        }
        assertThat(journal.since(0).missed()).isEqualTo(5);
        assertThat(journal.since(0).list()).hasSize(EventJournal.EVENTS_MAX);
        assertThat(journal.since(3).missed()).isEqualTo(2);
        assertThat(journal.since(5).missed()).isZero();
        assertThat(journal.since(5).list().getFirst().number()).isEqualTo(6);
        assertThat(journal.since(EventJournal.EVENTS_MAX + 5)).isEqualTo(new Events(List.of(), EventJournal.EVENTS_MAX + 5, 0));
    }

    @Test
    void componentsWriteAnEventOfOneKeyOnceASecond() {
        journal.onComponent("x on", "", "x is on", Map.of("about", "x"));
        journal.onComponent("x on", "", "x is on again", Map.of("about", "x"));
        journal.onComponent("y on", "", "y is on", Map.of("about", "y"));
        clock.nanos += 1_000_000_000;
        journal.onComponent("x on", "g", "x is on once more", Map.of("about", "x"));
        assertThat(texts()).containsExactly("x is on", "y is on", "group g: x is on once more");
        assertThat(journal.since(0).list().getLast().details()).isEqualTo(Map.of("about", "x", "left-out", 1L));
    }

    @Test
    void aSuspicionIsTheCauseOfTheDeparture() {
        journal.onView("g", view(2, MEMBER_A), view(3, MEMBER_A, MEMBER_B));
        journal.onEvent(new NodeEvents.Suspected(B, "3 of 4 watchers do not hear it"));
        journal.onEvent(new NodeEvents.SessionClosed(B, false, "suspected"));
        journal.onView("g", view(3, MEMBER_A, MEMBER_B), view(4, MEMBER_A));
        assertThat(texts()).containsExactly(
                "group g: view 3.1@a with 2 of [a@host:1, b@host:2], because b has come",
                "b (host:2) is suspected, because 3 of 4 watchers do not hear it",
                "session with b (host:2) closed, because suspected",
                "group g: b@host:2 is not in the view any more, because 3 of 4 watchers do not hear it",
                "group g: view 4.1@a with 1 of [a@host:1], because b@host:2 is gone: 3 of 4 watchers do not hear it");
    }

    @Test
    void whoIsBackBeforeTheViewIsGoneForTheOldReason() {
        journal.onView("g", view(2, MEMBER_A), view(3, MEMBER_A, MEMBER_B));
        journal.onEvent(new NodeEvents.SessionClosed(B, false, "broken"));
        journal.onEvent(new NodeEvents.SessionOpened(B));
        journal.onView("g", view(3, MEMBER_A, MEMBER_B), view(4, MEMBER_A));
        assertThat(texts().getLast()).endsWith("because b@host:2 is gone: broken");
    }

    @Test
    void anEndFromBeforeTheLastViewExplainsNothing() {
        journal.onEvent(new NodeEvents.SessionClosed(B, false, "broken"));
        journal.onEvent(new NodeEvents.SessionOpened(B));
        journal.onView("g", view(2, MEMBER_A), view(3, MEMBER_A, MEMBER_B));
        journal.onView("g", view(3, MEMBER_A, MEMBER_B), view(4, MEMBER_A));
        assertThat(texts().getLast()).endsWith("because b@host:2 is gone: it has left the group, or goes another way");
        journal.onEvent(new NodeEvents.SessionClosed(B, false, "broken again"));
        journal.onView("g", view(3, MEMBER_A, MEMBER_B), view(5, MEMBER_A));
        assertThat(texts().getLast()).endsWith("because b@host:2 is gone: broken again");
    }

    @Test
    void partsThatMeetAreAMerge() {
        View both = new View(
                new ViewId(5, 1, MEMBER_A),
                List.of(MEMBER_A, MEMBER_B),
                List.of(
                        new View.Part(new ViewId(4, 1, MEMBER_A), List.of(MEMBER_A), new TreeMap<>()),
                        new View.Part(new ViewId(4, 1, MEMBER_B), List.of(MEMBER_B), new TreeMap<>())));
        journal.onView("g", view(4, MEMBER_A), both);
        Event merge = journal.since(0).list().getLast();
        assertThat(merge.kind()).isEqualTo(Kind.MERGE);
        assertThat(merge.details().get("parts")).isEqualTo(List.of("a", "b"));
        assertThat(merge.document()).containsEntry("kind", "merge").containsEntry("group", "g");
    }

    @Test
    void whatAnybodyCanCauseIsKeptOncePerSecond() {
        clock.nanos = 10_000_000_000L;
        for (int index = 0; index < 100; index++) {
            journal.onEvent(new NodeEvents.Refused("host:" + index, "another cluster"));
        }
        assertThat(journal.since(0).list()).hasSize(1);
        clock.nanos += 1_000_000_000;
        journal.onEvent(new NodeEvents.Refused("host:1", "another cluster"));
        assertThat(journal.since(0).list()).hasSize(2);
        assertThat(journal.since(0).list().getLast().details().get("left-out")).isEqualTo(99L);
    }

    @Test
    void aListenerThatFailsGetsTheNextOne() {
        List<Long> heard = new ArrayList<>();
        Subscription listening = journal.listen(event -> {
            heard.add(event.number());
            throw new IllegalStateException("on purpose");
        });
        journal.on(Kind.STATE, "g", "one", "", Map.of());
        journal.on(Kind.STATE, "g", "two", "", Map.of());
        listening.close();
        journal.on(Kind.STATE, "g", "three", "", Map.of());
        assertThat(heard).containsExactly(1L, 2L);
    }

    @Test
    @Timeout(20)
    void listenerThatDoesNotReturnHoldsUpNoThreadThatTellsAside() throws InterruptedException {
        CountDownLatch isCalled = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch isTold = new CountDownLatch(1 + EventJournal.ASIDE_MAX);
        List<Long> told = Collections.synchronizedList(new ArrayList<>());
        journal.listen(event -> {
            isCalled.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            told.add(event.number());
            isTold.countDown();
        });
        journal.onAside(Kind.PROBLEM, "", "first", "", Map.of());
        isCalled.await();
        for (int count = 0; count < EventJournal.ASIDE_MAX + 2; count++) {
            journal.onAside(Kind.PROBLEM, "", "next", "", Map.of());
        }
        assertThat(journal.last()).isEqualTo(EventJournal.ASIDE_MAX + 3);
        assertThat(journal.listenerFailures()).as("those that the listener is not told of").isEqualTo(2);
        release.countDown();
        isTold.await();
        assertThat(told).hasSize(EventJournal.ASIDE_MAX + 1).isSorted();
    }
}
