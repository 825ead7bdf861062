package dev.tutti.blocks.internal;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;

/**
 * What a member tells for all and could not send is looked at again a moment later, until its block is closed: then there is
 * nobody to tell any more.
 */
public final class Retry {

    /** From one attempt to the next. */
    public static final long PAUSE_NANOS = 100_000_000;

    private final Lock lock;
    private final Deadlines deadlines;
    private boolean isOver;
    private long count;
    private long pauseEndNanos;

    /**
     * @param lock the block's
     * @param deadlines whose sweep looks what there is to do
     */
    public Retry(Lock lock, Deadlines deadlines) {
        this.lock = lock;
        this.deadlines = deadlines;
    }

    /** @param unsent runs, under the lock, if {@code sent} fails */
    public void watch(CompletionStage<?> sent, Runnable unsent) {
        sent.whenComplete((done, failure) -> {
            if (failure != null) {
                // Whoever has completed it, as a thread that closes the block, does not wait for a codec that runs under the lock.
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

    /** When to look for what is due at a time: not in the pause after a failure. Under the lock. */
    public long notInPause(long dueNanos) {
        return Math.max(dueNanos, pauseEndNanos);
    }

    /** The block is closed. */
    public void end() {
        lock.lock();
        try {
            isOver = true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the block is closed; under its lock. */
    public boolean isOver() {
        return isOver;
    }

    /** Messages that could not be sent, up to the end; under the lock. */
    public long count() {
        return count;
    }
}
