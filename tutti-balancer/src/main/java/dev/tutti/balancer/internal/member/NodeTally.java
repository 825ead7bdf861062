package dev.tutti.balancer.internal.member;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Numbers of one node at this balancer. Thread-safe. */
public final class NodeTally {

    private static final long SUSPECT_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long SUSPECT_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

    /** Share of the sessions begun that is forgotten by {@link #age}, for nodes that do not count theirs. */
    private static final long AGE_PARTS = 20;

    private final AtomicInteger inFlight = new AtomicInteger();
    private final Map<String, AtomicInteger> inFlightOfContext = new ConcurrentHashMap<>();
    private final AtomicLong begun = new AtomicLong();
    private final LongAdder sent = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder sticky = new LongAdder();
    private final AtomicInteger upgraded = new AtomicInteger();
    private volatile long announcedSessions = -1;

    /** Guarded by the lock. */
    private int failuresInARow;

    /** 0 while the node is not suspect. */
    private volatile long suspectUntilNanos;

    /** Notes that a request goes to a context of the node. {@link #onEnded} follows. */
    public void onSent(String path, boolean isSticky) {
        inFlight.incrementAndGet();
        inFlightOfContext.computeIfAbsent(path, _ -> new AtomicInteger()).incrementAndGet();
        sent.increment();
        if (isSticky) {
            sticky.increment();
        }
    }

    /** @return whether the context has no request in flight any more */
    public boolean onEnded(String path) {
        inFlight.decrementAndGet();
        AtomicInteger ofContext = inFlightOfContext.get(path);
        return ofContext == null || ofContext.decrementAndGet() == 0;
    }

    public void onSessionBegun() {
        begun.incrementAndGet();
    }

    /** Notes the number of sessions that the node has announced; those begun before are among them. */
    void onAnnounced(long sessions) {
        if (sessions != announcedSessions) {
            announcedSessions = sessions;
            begun.set(0);
        }
    }

    /** Forgets a part of the sessions begun. */
    void age() {
        begun.updateAndGet(count -> count - count / AGE_PARTS);
    }

    /** Notes that the node has answered. */
    public void onAnswered() {
        if (suspectUntilNanos != 0 || failuresInARow != 0) {
            synchronized (this) {
                failuresInARow = 0;
                suspectUntilNanos = 0;
            }
        }
    }

    /** Notes that the node could not be reached, or ended a connection without an answer. */
    public synchronized void onFailed(long nowNanos) {
        failures.increment();
        long pauseNanos = Math.min(SUSPECT_NANOS_MAX, SUSPECT_NANOS_MIN << Math.min(failuresInARow, 10));
        failuresInARow++;
        suspectUntilNanos = Math.max(1, nowNanos + pauseNanos);
    }

    /** Forgets failures: the node has announced itself anew. */
    synchronized void onNew() {
        failuresInARow = 0;
        suspectUntilNanos = 0;
    }

    boolean isSuspect(long nowNanos) {
        long until = suspectUntilNanos;
        return until != 0 && nowNanos - until < 0;
    }

    public void onUpgraded(int change) {
        upgraded.addAndGet(change);
    }

    int inFlight() {
        return inFlight.get();
    }

    long begun() {
        return begun.get();
    }

    long sent() {
        return sent.sum();
    }

    /** Returns the requests in flight by context, without those that have none. */
    public Map<String, Integer> inFlightOfContexts() {
        Map<String, Integer> counts = new TreeMap<>();
        inFlightOfContext.forEach((path, count) -> {
            if (count.get() > 0) {
                counts.put(path, count.get());
            }
        });
        return counts;
    }

    /** Returns all numbers by name. */
    public Map<String, Long> numbers() {
        Map<String, Long> numbers = new TreeMap<>();
        numbers.put("in-flight", (long) inFlight.get());
        numbers.put("requests", sent.sum());
        numbers.put("sticky-requests", sticky.sum());
        numbers.put("failures", failures.sum());
        numbers.put("upgraded", (long) upgraded.get());
        return numbers;
    }
}
