package dev.tutti.grid.bridges.internal;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls a reading at intervals, on a thread of its own, until it is closed. A reading that fails is counted, and the next one follows. */
public final class Sampler implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Sampler.class);
    private static final Duration INTERVAL_MIN = Duration.ofMillis(100);
    private static final Duration INTERVAL_MAX = Duration.ofDays(1);
    private static final int CLOSE_SECONDS_MAX = 5;

    /** A reading that may fail. */
    @FunctionalInterface
    public interface Reading {
        void read() throws Exception;
    }

    private final String name;
    private final Reading reading;
    private final ScheduledExecutorService clock;
    private final LongAdder failures = new LongAdder();
    private boolean isFailing;

    /** @param name what is read, for people */
    public Sampler(String name, Duration interval, Reading reading) {
        this.name = name;
        this.reading = reading;
        this.clock = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("tutti-grid-" + name).factory());
        long nanos = check(interval).toNanos();
        clock.scheduleWithFixedDelay(this::read, 0, nanos, TimeUnit.NANOSECONDS);
    }

    /** @throws IllegalArgumentException if an interval is too short or too long */
    public static Duration check(Duration interval) {
        if (interval.compareTo(INTERVAL_MIN) < 0 || interval.compareTo(INTERVAL_MAX) > 0) {
            throw new IllegalArgumentException("an interval is from " + INTERVAL_MIN + " to " + INTERVAL_MAX + ", not " + interval);
        }
        return interval;
    }

    private void read() {
        try {
            reading.read();
            if (isFailing) {
                LOG.info("{} can be read again", name);
                isFailing = false;
            }
        } catch (Exception | LinkageError e) {
            failures.increment();
            if (!isFailing && !clock.isShutdown()) {
                LOG.warn("{} can't be read; trying again: {}", name, e.toString());
                isFailing = true;
            }
        }
    }

    /** Returns the number of readings that have failed. */
    public long failures() {
        return failures.sum();
    }

    /** Ends the readings. Waits for one that is running, for some seconds at most. */
    @Override
    public void close() {
        clock.shutdownNow();
        try {
            if (!clock.awaitTermination(CLOSE_SECONDS_MAX, TimeUnit.SECONDS)) {
                LOG.warn("reading {} does not end", name);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
