package dev.tutti.jcache;

import dev.tutti.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Locks by which operations of one member on an entry do not overtake each other. Entries share a lock, so a holder must
 * not ask for a second one. Thread-safe.
 */
final class EntryLocks {

    private final List<Stripe> stripes = new ArrayList<>();

    EntryLocks(Threads threads) {
        for (int index = 0; index < STRIPES; index++) {
            stripes.add(new Stripe(threads));
        }
    }

    /** Returns the lock of a key. */
    Stripe of(Object key) {
        int hash = key.hashCode();
        return stripes.get(Math.floorMod(hash ^ hash >>> 16, STRIPES));
    }

    /** A lock whose holder may wait for other members. */
    static final class Stripe {

        private final ReentrantLock lock = new ReentrantLock();
        private final Condition released;

        /** Guarded by the lock. */
        private boolean isHeld;

        private Stripe(Threads threads) {
            released = threads.condition(lock);
        }

        /** Returns whether the caller has the lock now; false if that took longer than {@code withinNanos}. */
        boolean acquire(long withinNanos) throws InterruptedException {
            lock.lock();
            try {
                long leftNanos = withinNanos;
                while (isHeld) {
                    if (leftNanos <= 0) {
                        return false;
                    }
                    leftNanos = released.awaitNanos(leftNanos);
                }
                isHeld = true;
                return true;
            } finally {
                lock.unlock();
            }
        }

        void release() {
            lock.lock();
            try {
                isHeld = false;
                released.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    private static final int STRIPES = 256;
}
