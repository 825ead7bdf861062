package dev.tutti.blocks.internal;

import dev.tutti.Threads;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

/**
 * One timer for all deadlines of calls or commands. It is set to the earliest and stays where it is when that call is over, as almost all
 * are long before; when it goes off, whatever is due is looked for, and it is set again. So calls that are answered cost it a
 * comparison, and it goes off about once per the shortest time that calls are given, at most once a millisecond.
 */
public final class Deadlines {

    private static final long NEVER = Long.MAX_VALUE;
    private static final long PAUSE_NANOS_MIN = 1_000_000;

    private final Threads threads;
    private final String name;
    private final long originNanos;
    private final LongUnaryOperator sweep;
    private final AtomicLong setNanos = new AtomicLong(NEVER);

    /** @param sweep ends what is due at a time, and says when the next will be: {@code Long.MAX_VALUE} for never */
    public Deadlines(Threads threads, String name, LongUnaryOperator sweep) {
        this.threads = threads;
        this.name = name;
        this.originNanos = threads.nanoTime();
        this.sweep = sweep;
    }

    /** Since this was made; deadlines are such times. */
    public long nowNanos() {
        return threads.nanoTime() - originNanos;
    }

    /** The time so long from {@code nowNanos}, or the end of times. */
    public static long after(long nowNanos, long timeoutNanos) {
        return timeoutNanos < NEVER - nowNanos ? nowNanos + timeoutNanos : NEVER;
    }

    /** Something that the sweep can see already is due then. */
    public void watch(long deadlineNanos) {
        long set = setNanos.get();
        while (deadlineNanos < set) {
            if (setNanos.compareAndSet(set, deadlineNanos)) {
                long pauseNanos = Math.max(PAUSE_NANOS_MIN, deadlineNanos - nowNanos());
                threads.startAfter(pauseNanos, name, () -> onTimer(deadlineNanos));
                return;
            }
            set = setNanos.get();
        }
    }

    /**
     * Runs what a deadline ends, or what may have to wait for a lock, on a thread of its own: no code of the application holds up
     * other deadlines (docs/decisions/0290).
     */
    public void start(Runnable end) {
        threads.start(name, end);
    }

    /** A timer that was overtaken by an earlier one has nothing to do any more. */
    private void onTimer(long deadlineNanos) {
        // Before the sweep: what it is too late to see sets the timer itself.
        if (setNanos.compareAndSet(deadlineNanos, NEVER)) {
            long next = after(nowNanos(), PAUSE_NANOS_MIN);
            try {
                next = sweep.applyAsLong(nowNanos());
            } finally {
                // Whatever has become of this sweep, other deadlines are still to come.
                watch(next);
            }
        }
    }
}
