package dev.tutti.campaign.sites.throughput;

import java.util.Arrays;

/** Bytes that have arrived, and the times that their messages were under way. Thread-safe. */
final class Meter {

    private static final long STEP_NANOS = 10_000;

    /** Number of steps; longer times count as the last. */
    private static final int STEPS = 1_000_000;

    private final long[] counts = new long[STEPS];
    private long beginNanos;
    private long messages;
    private long bytes;

    /**
     * Figures since the meter was begun.
     *
     * @param bytesPerSecond over the whole time
     * @param medianNanos time that half of the messages were under way, at most
     * @param p99Nanos time that 99 of 100 were under way, at most
     */
    record Reading(long messages, double bytesPerSecond, long medianNanos, long p99Nanos) {}

    /** Begins anew. */
    synchronized void begin(long nowNanos) {
        Arrays.fill(counts, 0);
        beginNanos = nowNanos;
        messages = 0;
        bytes = 0;
    }

    synchronized void add(int length, long wayNanos) {
        messages++;
        bytes += length;
        counts[Math.clamp(wayNanos / STEP_NANOS, 0, STEPS - 1)]++;
    }

    synchronized Reading read(long nowNanos) {
        return new Reading(messages, bytes / ((nowNanos - beginNanos) / 1e9), nanos(0.5), nanos(0.99));
    }

    private long nanos(double share) {
        long due = (long) Math.ceil(messages * share);
        long seen = 0;
        for (int step = 0; step < STEPS; step++) {
            seen += counts[step];
            if (seen >= due && due > 0) {
                return (step + 1) * STEP_NANOS;
            }
        }
        return 0;
    }
}
