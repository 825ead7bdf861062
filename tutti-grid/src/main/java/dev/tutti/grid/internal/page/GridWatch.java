package dev.tutti.grid.internal.page;

import dev.tutti.grid.Answer;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Query;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots of the grid for all pages that are open at a mediator. The grid is asked while somebody looks, every two seconds at most, and less
 * often if its answers take long. Thread-safe.
 */
final class GridWatch {

    private static final long PAUSE_NANOS = 2_000_000_000L;

    /** Pause between two questions, in times that the last one took. */
    private static final int PAUSE_TIMES = 4;

    private static final Duration DEADLINE = Duration.ofSeconds(2);

    /** Longest wait for an answer: two questions, and the time to start. */
    private static final long WAIT_NANOS = 10_000_000_000L;

    private final Grid grid;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition hasAnswer = lock.newCondition();

    // Guarded by the lock.
    private @Nullable Snapshot latest;
    private String failure = "";
    private long nextNanos = System.nanoTime();
    private boolean isAsking;

    GridWatch(Grid grid) {
        this.grid = grid;
    }

    /**
     * Returns the last snapshot, and asks for the next one if it is time. The first caller waits for it.
     *
     * @throws IllegalStateException if the grid can't be asked
     */
    Snapshot look() {
        lock.lock();
        try {
            if (!isAsking && System.nanoTime() - nextNanos >= 0) {
                isAsking = true;
                Snapshot before = latest;
                Thread.ofVirtual().name("tutti-mediator-page").start(() -> ask(before));
            }
            long leftNanos = WAIT_NANOS;
            while (latest == null && isAsking) {
                if (leftNanos <= 0) {
                    throw new IllegalStateException("the grid has not answered within " + Duration.ofNanos(WAIT_NANOS));
                }
                leftNanos = hasAnswer.awaitNanos(leftNanos);
            }
            if (latest == null) {
                throw new IllegalStateException(failure);
            }
            return latest;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the thread was interrupted while it waited for the grid");
        } finally {
            lock.unlock();
        }
    }

    private void ask(@Nullable Snapshot before) {
        long startNanos = System.nanoTime();
        Snapshot next = null;
        String reason = "the grid can't be asked";
        try {
            Answer<Entry> entries = grid.find(Query.ALL.within(DEADLINE));
            Answer<Measurement> measurements = grid.latest(Filter.ALL, DEADLINE);
            next = new Snapshot(before, entries, measurements, System.currentTimeMillis(), System.nanoTime());
        } catch (RuntimeException e) {
            reason += ": " + e.getMessage();
        } finally {
            onAnswer(next, reason, startNanos);
        }
    }

    private void onAnswer(@Nullable Snapshot next, String reason, long startNanos) {
        lock.lock();
        try {
            isAsking = false;
            failure = reason;
            // A snapshot that grows old would be mistaken for the present.
            latest = next;
            nextNanos = System.nanoTime() + Math.max(PAUSE_NANOS, PAUSE_TIMES * (System.nanoTime() - startNanos));
            hasAnswer.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
