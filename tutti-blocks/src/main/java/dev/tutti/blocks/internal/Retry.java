package dev.tutti.blocks.internal;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;

/**
 * Schedules another attempt for messages on behalf of all members that could not be sent, until the block is closed:
 * then there is nobody to send to any more.
 */
public final class Retry {

    /** Time from one attempt to the next. */
    public static final long PAUSE_NANOS = 100_000_000;

    private final Lock lock;
    private final Deadlines deadlines;
    private boolean isOver;
    private long count;
    private long pauseEndNanos;

    /**
     * @param lock the block's
     * @param deadlines whose sweep looks for pending work
     */
    public Retry(Lock lock, Deadlines deadlines) {
        this.lock = lock;
        this.deadlines = deadlines;
    }

    /** @param unsent runs, under the lock, if {@code sent} fails */
    public void watch(CompletionStage<?> sent, Runnable unsent) {
        sent.whenComplete((done, failure) -> {
            if (failure != null) {
                // The completing thread, such as one that closes the block, does not wait for a codec that runs under
                // the lock.
                deadlines.start(() -> onUnsent(unsent));
            }
        });
    }

    private void onUnsent(Runnable unsent) {
        lock.lock();
        try {
            if (!isOver) {
                count++;
                unsent.run();
                pauseEndNanos = deadlines.nowNanos() + PAUSE_NANOS;
                deadlines.watch(pauseEndNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the time to look for work that is due at a time: not in the pause after a failure. Under the lock. */
    public long notInPause(long dueNanos) {
        return Math.max(dueNanos, pauseEndNanos);
    }

    /** Notes that the block is closed. */
    public void end() {
        lock.lock();
        try {
            isOver = true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the block is closed; under its lock. */
    public boolean isOver() {
        return isOver;
    }

    /** Returns the number of messages that could not be sent, until the end; under the lock. */
    public long count() {
        return count;
    }
}
