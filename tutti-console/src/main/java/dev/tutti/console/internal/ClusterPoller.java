package dev.tutti.console.internal;

import dev.tutti.console.ConsoleSettings;
import dev.tutti.console.internal.CounterTable.Counter;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Json;
import dev.tutti.internal.Logs;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;

/**
 * Gathers the answers of all members while a page is open: at each interval, and at once after an event. While no page
 * is open, members are asked seldom, for the charts and the alerts. One thread gathers; the other methods may be called from any.
 */
final class ClusterPoller implements AutoCloseable {

    private static final Logger LOG = Logs.of(ClusterPoller.class);

    /** Delay after an event at this member, so that others have seen it, too. */
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(60);

    /** Least time between two looks, however many events there are. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

    private final Witnesses witnesses;
    private final Consumer<Map<String, Object>> onFigures;
    private final CounterTable counters;
    private final long intervalNanos;

    /** Interval of gatherings while no page is open; 0 for none. */
    private final long backgroundNanos;

    private final int browsersMax;
    private final Set<Browser> browsers = ConcurrentHashMap.newKeySet();
    private final AtomicInteger admitted = new AtomicInteger();
    private final ReentrantLock signals = new ReentrantLock();
    private final Condition signal = signals.newCondition();

    // Guarded by the lock of signals.
    private boolean isUrgent;
    private boolean isClosed;

    /** The present look was hurried; accessed by the gathering thread only. */
    private boolean wasUrgent;

    /** End of the last look; accessed by the gathering thread only. */
    private long lookedNanos = System.nanoTime() - PAUSE_NANOS;

    /** Lock of the gathered state, so that a new browser gets a consistent one. */
    private final ReentrantLock state = new ReentrantLock();

    // Guarded by the lock of state.
    private final PageContent figures = new PageContent();
    private final Timeline timeline = new Timeline();
    private final History history;
    private Map<String, Object> latest = Map.of();
    private long latestNanos;

    ClusterPoller(Witnesses witnesses, CounterTable counters, Settings settings, Consumer<Map<String, Object>> onFigures) {
        this.witnesses = witnesses;
        this.counters = counters;
        this.onFigures = onFigures;
        this.intervalNanos = settings.get(ConsoleSettings.INTERVAL).toNanos();
        this.backgroundNanos = settings.get(ConsoleSettings.BACKGROUND_INTERVAL).toNanos();
        this.browsersMax = settings.get(ConsoleSettings.BROWSERS_MAX);
        long historyNanos = settings.get(ConsoleSettings.HISTORY).toNanos();
        long spacingNanos = Math.max(intervalNanos, TimeUnit.SECONDS.toNanos(1));
        this.history = new History(
                (int) Math.min(7_200, Math.max(60, historyNanos / spacingNanos)), TimeUnit.NANOSECONDS.toMillis(spacingNanos));
        witnesses.onEvent(this::hurry);
        Thread.ofVirtual().name("tutti-console-poller").start(this::run);
    }

    // ------------------------------------------------------------------ browsers

    /** Admits a browser; returns false if there are too many. */
    boolean admit(Browser browser) {
        if (admitted.incrementAndGet() > browsersMax) {
            admitted.decrementAndGet();
            return false;
        }
        return true;
    }

    /** Sends the present state to an admitted browser, and keeps it up to date from there on. */
    void greet(Browser browser) {
        Thread.ofVirtual().name("tutti-console-greeting").start(() -> {
            state.lock();
            try {
                if (!isFresh()) {
                    gather();
                }
                browser.push(Browser.event("history", Json.write(history.document(History.Span.RECENT))));
                browser.push(Browser.event("stories", Json.write(timeline.all())));
                if (!latest.isEmpty()) {
                    browser.push(Browser.event("cluster", Json.write(latest)));
                }
                browsers.add(browser);
                // It may have been closed meanwhile.
                if (!browser.isOpen()) {
                    browsers.remove(browser);
                }
            } finally {
                state.unlock();
            }
            hurry();
        });
    }

    void dismiss(Browser browser) {
        browsers.remove(browser);
        admitted.decrementAndGet();
    }

    int browsers() {
        return admitted.get();
    }

    // ------------------------------------------------------------------ gathering

    private void hurry() {
        signals.lock();
        try {
            isUrgent = true;
            signal.signalAll();
        } finally {
            signals.unlock();
        }
    }

    /** Asks for events twice in an interval, which costs little; for figures at its end, or if there are events. */
    private void run() {
        while (await()) {
            state.lock();
            try {
                boolean isDue = System.nanoTime() - latestNanos >= intervalNanos * 9 / 10;
                if (isDue || wasUrgent || hasNews()) {
                    gather();
                    tell();
                }
            } finally {
                state.unlock();
            }
            lookedNanos = System.nanoTime();
        }
    }

    /** Waits until the next look is due; returns false at the end. */
    private boolean await() {
        try {
            signals.lockInterruptibly();
            try {
                long startNanos = System.nanoTime();
                while (!isClosed) {
                    boolean isWatched = !browsers.isEmpty();
                    long leftNanos = startNanos + (isWatched ? intervalNanos / 2 : backgroundNanos) - System.nanoTime();
                    if (!isWatched && backgroundNanos == 0) {
                        signal.await();
                    } else if (leftNanos > 0 && !(isWatched && isUrgent)) {
                        long unused = signal.awaitNanos(leftNanos);
                    } else {
                        break;
                    }
                }
                if (isUrgent && !isClosed) {
                    long settle = Math.max(SETTLE_NANOS, lookedNanos + PAUSE_NANOS - System.nanoTime());
                    while (settle > 0 && !isClosed) {
                        settle = signal.awaitNanos(settle);
                    }
                }
                wasUrgent = isUrgent;
                isUrgent = false;
                return !isClosed;
            } finally {
                signals.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean isFresh() {
        return !latest.isEmpty() && System.nanoTime() - latestNanos < 2 * intervalNanos;
    }

    /** Returns whether a member has new events; with the lock of state. */
    private boolean hasNews() {
        try {
            return readEvents();
        } catch (RuntimeException e) {
            counters.increment(Counter.GATHERINGS_FAILED);
            LOG.debug("what has happened can't be asked for now", e);
            return false;
        }
    }

    private boolean readEvents() {
        Map<String, Witnesses.Page> pages = witnesses.events(timeline::cursor);
        pages.forEach((name, page) -> timeline.onEvents(name, page.incarnation(), page.events()));
        return pages.values().stream().anyMatch(page -> !page.events().list("events").isEmpty());
    }

    /** Gathers figures; with the lock of state. */
    private void gather() {
        try {
            Map<String, Doc> documents = witnesses.inspections();
            counters.increment(Counter.GATHERINGS);
            boolean isNews = documents.entrySet().stream()
                    .anyMatch(each -> each.getValue().number("lastEvent")
                            > timeline.cursor(each.getKey(), each.getValue().at("node").text("incarnation")));
            if (isNews) {
                readEvents();
                // The events may be newer than the figures.
                hurry();
            }
            latest = new LinkedHashMap<>(figures.of(witnesses.self(), documents, System.currentTimeMillis()));
            latest.put("intervalMillis", TimeUnit.NANOSECONDS.toMillis(intervalNanos));
            latest.put("eventsMissed", timeline.missed());
            Map<String, Object> console = new LinkedHashMap<>(counters.report());
            console.put("browsers", browsers());
            latest.put("console", console);
            latestNanos = System.nanoTime();
            history.add(latest);
            onFigures.accept(latest);
        } catch (RuntimeException e) {
            // The node is closing, or a member's answer is unexpected: the next gathering may succeed.
            counters.increment(Counter.GATHERINGS_FAILED);
            LOG.warn("what members know can't be gathered now: {}", e.getMessage());
            LOG.debug("where", e);
        }
    }

    private void tell() {
        List<Map<String, Object>> stories = timeline.takeChanged();
        if (!stories.isEmpty()) {
            String event = Browser.event("stories", Json.write(stories));
            browsers.forEach(browser -> browser.push(event));
        }
        if (!latest.isEmpty()) {
            String event = Browser.event("cluster", Json.write(latest));
            browsers.forEach(browser -> browser.pushFigures(event));
        }
    }

    // ------------------------------------------------------------------ readers

    /** Returns the points of the charts for a span. */
    Map<String, Object> history(History.Span span) {
        state.lock();
        try {
            return history.document(span);
        } finally {
            state.unlock();
        }
    }

    /**
     * Returns figures that are not older than two intervals, and stories.
     *
     * @throws IllegalStateException if this member does not answer
     */
    Map<String, Object> cluster() {
        state.lock();
        try {
            if (!isFresh()) {
                gather();
            }
            if (!isFresh()) {
                throw new IllegalStateException("this member does not answer");
            }
            Map<String, Object> document = new LinkedHashMap<>(latest);
            document.put("stories", timeline.all());
            return document;
        } finally {
            state.unlock();
        }
    }

    @Override
    public void close() {
        signals.lock();
        try {
            isClosed = true;
            signal.signalAll();
        } finally {
            signals.unlock();
        }
        witnesses.close();
    }
}
