package dev.tutti.grid.member;

import dev.tutti.Threads;
import java.util.concurrent.locks.ReentrantLock;

/** Removes entries without a member from the registry when their leases end. */
final class Leases {

    /** Leases that end within this time of each other end together, at the last one. */
    private static final long PAUSE_NANOS = 100_000_000L;

    private final Threads threads;
    private final Registry registry;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private long round;
    private boolean isClosed;

    Leases(Threads threads, Registry registry) {
        this.threads = threads;
        this.registry = registry;
    }

    /** Ends leases, and comes back when the next one ends. A later call replaces an earlier one. */
    void watch() {
        lock.lock();
        try {
            round++;
            long next = isClosed ? -1 : registry.endLeases(threads.nanoTime());
            if (next >= 0) {
                long mine = round;
                threads.startAfter(Math.max(next, PAUSE_NANOS), "tutti-grid-leases", () -> watchAgain(mine));
            }
        } finally {
            lock.unlock();
        }
    }

    private void watchAgain(long mine) {
        lock.lock();
        try {
            if (mine == round) {
                watch();
            }
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            isClosed = true;
        } finally {
            lock.unlock();
        }
    }
}
