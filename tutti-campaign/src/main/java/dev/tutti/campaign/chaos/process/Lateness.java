package dev.tutti.campaign.chaos.process;

import dev.tutti.campaign.host.Pause;
import java.util.ArrayDeque;
import java.util.function.LongConsumer;

/**
 * Record of the times at which a process was late: a thread wakes up every 10 ms, and its delay is the time that the
 * machine, or a pause of the JVM, has taken from the process.
 */
public final class Lateness {

    static final long PERIOD_NANOS = 10_000_000;

    /** Shortest delay that counts; shorter ones are normal. */
    static final long LATE_NANOS_MIN = 3_000_000;

    /** Largest number of delays that are kept, at most one in 10 ms; the oldest are dropped. */
    private static final int SPANS_MAX = 100_000;

    private record Span(long endNanos, long nanos) {}

    private final ArrayDeque<Span> spans = new ArrayDeque<>();

    /** Watches this process from now on. */
    static void watch(LongConsumer onLate) {
        Thread.ofPlatform().daemon().name("lateness").start(() -> {
            while (true) {
                long began = System.nanoTime();
                Pause.millis(PERIOD_NANOS / 1_000_000);
                long late = System.nanoTime() - began - PERIOD_NANOS;
                if (late >= LATE_NANOS_MIN) {
                    onLate.accept(late);
                }
            }
        });
    }

    /** Adds a time of {@code nanos} until {@code endNanos} for which the process was late. */
    public synchronized void add(long endNanos, long nanos) {
        if (spans.size() == SPANS_MAX) {
            spans.removeFirst();
        }
        spans.addLast(new Span(endNanos, nanos));
    }

    /** Returns the time for which the process was late between two times. */
    public synchronized long between(long fromNanos, long toNanos) {
        long sum = 0;
        for (Span span : spans) {
            long begin = Math.max(fromNanos, span.endNanos - span.nanos);
            sum += Math.max(0, Math.min(toNanos, span.endNanos) - begin);
        }
        return sum;
    }

    /** Returns the longest time for which it was late. */
    public synchronized long longestNanos() {
        return spans.stream().mapToLong(Span::nanos).max().orElse(0);
    }
}
