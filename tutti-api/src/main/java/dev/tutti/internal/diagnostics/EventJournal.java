package dev.tutti.internal.diagnostics;

import dev.tutti.Event;
import dev.tutti.Event.Kind;
import dev.tutti.Events;
import dev.tutti.Subscription;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.internal.Logs;
import dev.tutti.protocols.node.NodeEvents;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The last {@value #EVENTS_MAX} events of a node, numbered, and the ends of sessions, which explain later events: a
 * member is missing from a view because its session ended. From any thread.
 */
public final class EventJournal {

    /** Number of events that are kept. */
    static final int EVENTS_MAX = 1_000;

    /** Number of events that may wait for listeners on a separate thread; listeners miss further ones. */
    static final int ASIDE_MAX = 64;

    /** Number of ended sessions that are remembered as causes. */
    private static final int ENDS_MAX = 1_000;

    /** Shortest time between two kept events of one kind and group, for events that anybody, or load, can cause. */
    private static final long PAUSE_NANOS = 1_000_000_000L;

    private static final Logger LOG = Logs.of(EventJournal.class);

    private final Host host;
    private final NodeEvents log;
    private final ArrayDeque<Event> events = new ArrayDeque<>();
    private final CopyOnWriteArrayList<Consumer<? super Event>> listeners = new CopyOnWriteArrayList<>();
    private final Fence fence;
    private final LongAdder listenerFailures = new LongAdder();

    /** Threads that are in listeners. */
    private final Set<Thread> telling = ConcurrentHashMap.newKeySet();

    /** Ends of recent sessions, the oldest first. */
    private final LinkedHashMap<NodeId, End> ends = new LinkedHashMap<>();

    /** Number of the last view event of each group: an earlier event does not explain a later departure. */
    private final TreeMap<String, Long> views = new TreeMap<>();

    /**
     * The end of a session.
     *
     * @param number number of the event that reported it
     * @param isPast whether a new session has begun since
     */
    private record End(String reason, long number, boolean isPast) {}

    /** Time of the last kept event and number of events left out since, for each kind that is kept once per second. */
    private final TreeMap<String, long[]> frequent = new TreeMap<>();

    private final ArrayDeque<Event> aside = new ArrayDeque<>();
    private boolean isTellingAside;
    private long last;

    /** @param log also receives the node's events */
    public EventJournal(Host host, NodeEvents log) {
        this.host = host;
        this.log = log;
        this.fence = new Fence(host, this::onListenerFailed);
    }

    // ------------------------------------------------------------------ readers

    public synchronized Events since(long number) {
        List<Event> page = new ArrayList<>();
        for (Event event : events) {
            if (event.number() > number) {
                page.add(event);
            }
        }
        long first = page.isEmpty() ? last + 1 : page.getFirst().number();
        return new Events(page, last, Math.max(0, first - 1 - Math.max(0, number)));
    }

    /** As {@link #since(long)}, for a number in a text; all if it is empty. */
    public Events since(String number) {
        try {
            return since(number.isEmpty() ? 0 : Long.parseLong(number));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + number + "' is not the number of an event", e);
        }
    }

    public synchronized long last() {
        return last;
    }

    public Subscription listen(Consumer<? super Event> listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return () -> listeners.remove(listener);
    }

    // ------------------------------------------------------------------ inputs

    public void onEvent(NodeEvents.Event event) {
        log.onEvent(event);
        String text = event.toString();
        switch (event) {
            case NodeEvents.SessionOpened(NodeId node) -> add(Kind.LINK_OPENED, "", node, text, "", Map.of());
            case NodeEvents.SessionClosed(NodeId node, boolean isGraceful, String reason) -> {
                end(node, reason);
                add(Kind.LINK_CLOSED, "", node, "session with " + node + " (" + node.address() + ") closed", reason,
                        Map.of("graceful", isGraceful));
            }
            case NodeEvents.Resumed(NodeId node) -> add(Kind.LINK_RESUMED, "", node, text, "", Map.of());
            case NodeEvents.Unreachable(String address, String reason) ->
                add(Kind.UNREACHABLE, "", null, address + " can't be reached", reason, Map.of("address", address));
            case NodeEvents.Suspected(NodeId node, String reason) -> {
                end(node, reason);
                add(Kind.SUSPICION, "", node, node + " (" + node.address() + ") is suspected", reason, Map.of());
            }
            case NodeEvents.Late(long lateNanos) ->
                addSometimes(Kind.LATE, "", null, text, "", Map.of("millis", lateNanos / 1_000_000));
            case NodeEvents.StackMismatch(String group, NodeId node, String difference) ->
                addSometimes(Kind.STACK_MISMATCH, group, node, "does not meet " + node, difference, Map.of());
            case NodeEvents.Distrusted(String group, NodeId node, String reason) ->
                addSometimes(Kind.SUSPICION, group, node, node + " (" + node.address() + ") is not trusted", reason, Map.of());
            case NodeEvents.Refused(String remote, String reason) ->
                addSometimes(Kind.REFUSED, "", null, "connection with " + remote + " refused", reason, Map.of("address", remote));
        }
    }

    public void onView(String group, @Nullable View before, View installed) {
        List<String> changes = new ArrayList<>();
        List<String> gone = new ArrayList<>();
        if (before != null) {
            for (Member member : before.members()) {
                if (!installed.contains(member)) {
                    String cause = endOf(member.node(), group);
                    gone.add(member.name());
                    changes.add(member + " is gone: " + cause);
                    add(Kind.DEPARTURE, group, member.node(), member + " is not in the view any more", cause,
                            Map.of("view", installed.id().toString()));
                }
            }
        }
        List<String> come = new ArrayList<>();
        for (Member member : installed.members()) {
            if (before == null || !before.contains(member)) {
                come.add(member.name());
            }
        }
        List<List<String>> parts = new ArrayList<>();
        for (View.Part part : installed.parts()) {
            if (!part.isNewcomer()) {
                parts.add(part.members().stream().map(Member::name).toList());
            }
        }
        if (before == null) {
            changes.add("everybody begins alone");
        } else if (!come.isEmpty()) {
            changes.add(String.join(", ", come) + (come.size() == 1 ? " has come" : " have come"));
        }
        Map<String, Object> details = new TreeMap<>();
        details.put("view", installed.id().toString());
        details.put("number", installed.id().number());
        details.put("coordinator", installed.coordinator().name());
        details.put("members", installed.members().stream().map(Member::name).toList());
        details.put("come", come);
        details.put("gone", gone);
        add(Kind.VIEW, group, null, "view " + installed.id() + " with " + installed.size() + " of "
                + installed.members(), String.join("; ", changes), details);
        if (parts.size() > 1) {
            details.put("parts", parts.stream().map(part -> String.join(", ", part)).toList());
            add(Kind.MERGE, group, null, parts.size() + " parts go on together: " + parts, "they hear each other again", details);
        }
    }

    /** Forgets a group that has ended at this node. */
    public synchronized void forget(String group) {
        views.remove(group);
    }

    public void on(Kind kind, String group, String text, String cause, Map<String, ?> details) {
        add(kind, group, null, text, cause, details);
    }

    /**
     * Adds an event as {@link #on} does, from a thread that listeners must not hold up: they are called in order, on
     * another one.
     */
    public void onAside(Kind kind, String group, String text, String cause, Map<String, ?> details) {
        tellAside(keep(kind, group, null, text, cause, details));
    }

    /** Adds an event, at most once per second, kind and group. */
    public void onFrequent(Kind kind, String group, String text, String cause, Map<String, ?> details) {
        addSometimes(kind, group, null, text, cause, details);
    }

    /**
     * Adds an event of a component, at most once per second and {@code key}, from a thread that listeners must not hold up.
     *
     * @param key number of different keys is bounded
     */
    public void onComponent(String key, String group, String text, Map<String, ?> details) {
        Map<String, Object> more = new TreeMap<>(details);
        if (isTime(Kind.COMPONENT + " " + key, more)) {
            tellAside(keep(Kind.COMPONENT, group, null, text, "", more));
        }
    }

    // ------------------------------------------------------------------ keeping

    private synchronized void end(NodeId node, String reason) {
        End known = ends.get(node);
        // A suspicion says more than the end of the session that follows from it.
        if (known == null || known.isPast()) {
            ends.putLast(node, new End(reason, last + 1, false));
        }
        if (ends.size() > ENDS_MAX) {
            ends.pollFirstEntry();
        }
    }

    /** Returns the reason why a member of the last view of {@code group} is not in the next. */
    private synchronized String endOf(NodeId node, String group) {
        End end = ends.get(node);
        boolean isSince = end != null && end.number() > views.getOrDefault(group, 0L);
        return end == null || !isSince ? "it has left the group, or goes another way" : end.reason();
    }

    private void addSometimes(
            Kind kind, String group, @Nullable NodeId node, String text, String cause, Map<String, ?> details) {
        Map<String, Object> more = new TreeMap<>(details);
        if (isTime(kind + " " + group, more)) {
            add(kind, group, node, text, cause, more);
        }
    }

    /** Returns whether an event may be kept, and adds the number of those that were left out before to its details. */
    private synchronized boolean isTime(String key, Map<String, Object> details) {
        long now = host.nanoTime();
        long[] state = frequent.computeIfAbsent(key, fresh -> new long[] {now - PAUSE_NANOS, 0});
        if (now - state[0] < PAUSE_NANOS) {
            state[1]++;
            return false;
        }
        if (state[1] > 0) {
            details.put("left-out", state[1]);
        }
        state[0] = now;
        state[1] = 0;
        return true;
    }

    private void add(Kind kind, String group, @Nullable NodeId node, String text, String cause, Map<String, ?> details) {
        tell(keep(kind, group, node, text, cause, details));
    }

    private synchronized Event keep(
            Kind kind, String group, @Nullable NodeId node, String text, String cause, Map<String, ?> details) {
        if (kind == Kind.LINK_OPENED && node != null) {
            ends.computeIfPresent(node, (key, end) -> new End(end.reason(), end.number(), true));
        }
        last++;
        if (kind == Kind.VIEW) {
            views.put(group, last);
        }
        Event event = new Event(
                last, Instant.ofEpochMilli(host.epochMillis()), kind, group, node == null ? "" : node.name(), text, cause, details);
        if (events.size() == EVENTS_MAX) {
            events.removeFirst();
        }
        events.addLast(event);
        return event;
    }

    // ------------------------------------------------------------------ telling

    private void tell(Event event) {
        if (listeners.isEmpty()) {
            return;
        }
        Thread thread = Thread.currentThread();
        boolean isOuter = telling.add(thread);
        try {
            for (Consumer<? super Event> listener : listeners) {
                fence.call("onEvent", listener, event);
            }
        } finally {
            if (isOuter) {
                telling.remove(thread);
            }
        }
    }

    private void tellAside(Event event) {
        if (listeners.isEmpty()) {
            return;
        }
        boolean isFull;
        boolean isFirst;
        synchronized (this) {
            isFull = aside.size() >= ASIDE_MAX;
            if (!isFull) {
                aside.addLast(event);
            }
            isFirst = !isTellingAside;
            isTellingAside = true;
        }
        if (isFull) {
            onListenerFailed("onEvent", event, new IllegalStateException(
                    ASIDE_MAX + " events wait for a listener of events that does not return"));
        } else if (isFirst) {
            host.start("tutti-events", this::tellWaiting);
        }
    }

    private void tellWaiting() {
        for (Event next = nextAside(); next != null; next = nextAside()) {
            tell(next);
        }
    }

    private synchronized @Nullable Event nextAside() {
        Event next = aside.pollFirst();
        isTellingAside = next != null;
        return next;
    }

    private void onListenerFailed(String callback, Object event, Throwable thrown) {
        listenerFailures.increment();
        LOG.warn("a listener of events has failed for event {}; it gets the next one", event, thrown);
    }

    public long listenerFailures() {
        return listenerFailures.sum();
    }

    /** Returns whether {@code thread} is in a listener of events. */
    public boolean isTelling(Thread thread) {
        return telling.contains(thread);
    }
}
