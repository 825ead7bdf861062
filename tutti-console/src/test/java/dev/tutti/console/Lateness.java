package dev.tutti.console;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The longest time by which this machine was late with a task that was due, in this process. Tests of times that a user sees allow
 * for it: they measure the console, and not the other programs that the machine runs.
 */
final class Lateness implements AutoCloseable {

    /**
     * Time within which a page shows an event, on a machine that is not late. The page does it within a second, which is asserted with
     * {@code -Dtutti.test.times=true} on a machine that does nothing else. Among other tests the page has five seconds.
     */
    static final long SHOWN_MILLIS_MAX = Boolean.getBoolean("tutti.test.times") ? 1_000 : 5_000;

    private static final long PERIOD_MILLIS = 10;

    private final ScheduledExecutorService ticks = Executors.newSingleThreadScheduledExecutor();
    private final AtomicLong latestNanos = new AtomicLong();
    private long lastNanos = System.nanoTime();

    Lateness() {
        ticks.scheduleAtFixedRate(this::tick, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        long now = System.nanoTime();
        latestNanos.accumulateAndGet(now - lastNanos - TimeUnit.MILLISECONDS.toNanos(PERIOD_MILLIS), Math::max);
        lastNanos = now;
    }

    /** Returns the longest delay in milliseconds since the last call. */
    long takeMillis() {
        return TimeUnit.NANOSECONDS.toMillis(latestNanos.getAndSet(0));
    }

    @Override
    public void close() {
        ticks.shutdownNow();
    }
}
