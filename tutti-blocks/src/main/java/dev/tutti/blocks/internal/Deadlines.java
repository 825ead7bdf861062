package dev.tutti.blocks.internal;

import dev.tutti.Threads;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

/**
 * One timer for all deadlines of calls or commands. It is set to the earliest and stays there when that call is over,
 * as almost all are long before; when it fires, a sweep ends the due ones, and it is set again. So an answered call
 * costs it a comparison, and it fires about once per the shortest time-out in use, at most once a millisecond.
 */
public final class Deadlines {

    private static final long NEVER = Long.MAX_VALUE;
    private static final long PAUSE_NANOS_MIN = 1_000_000;

    private final Threads threads;
    private final String name;
    private final long originNanos;
    private final LongUnaryOperator sweep;
    private final AtomicLong setNanos = new AtomicLong(NEVER);

    /** @param sweep ends what is due at a time; returns the next time to run: {@code Long.MAX_VALUE} for never */
    public Deadlines(Threads threads, String name, LongUnaryOperator sweep) {
        this.threads = threads;
        this.name = name;
        this.originNanos = threads.nanoTime();
        this.sweep = sweep;
    }

    /** Returns the time since this was created; deadlines are such times. */
    public long nowNanos() {
        return threads.nanoTime() - originNanos;
    }

    /** Returns the time {@code timeoutNanos} after {@code nowNanos}, or the greatest one. */
    public static long after(long nowNanos, long timeoutNanos) {
        return timeoutNanos < NEVER - nowNanos ? nowNanos + timeoutNanos : NEVER;
    }

    /** Sets the timer for a deadline that the sweep can see already. */
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
     * Runs the end of a call, or a task that may have to wait for a lock, on a thread of its own: no code of the
     * application holds up other deadlines (docs/decisions/0160-calls-have-a-group-of-their-own.md).
     */
    public void start(Runnable end) {
        threads.start(name, end);
    }

    /** Runs a sweep, unless an earlier timer has overtaken this one. */
    private void onTimer(long deadlineNanos) {
        // Before the sweep: a deadline that comes too late for this one sets the timer itself.
        if (setNanos.compareAndSet(deadlineNanos, NEVER)) {
            long next = after(nowNanos(), PAUSE_NANOS_MIN);
            try {
                next = sweep.applyAsLong(nowNanos());
            } finally {
                // Even if this sweep has failed, other deadlines are still to come.
                watch(next);
            }
        }
    }
}
