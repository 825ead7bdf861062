package dev.tutti.stomp.internal;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** What groups have delivered and the server's threads have not taken yet: a bound on its bytes, at which groups wait. */
final class Backlog {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final long bytesMax;
    private long bytes;
    private long waits;
    private boolean isClosed;

    Backlog(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Waits until there is room; one that is larger than all of it waits for nothing but the others. */
    void add(long count) {
        lock.lock();
        try {
            if (bytes > 0 && bytes + count > bytesMax && !isClosed) {
                waits++;
                while (bytes > 0 && bytes + count > bytesMax && !isClosed) {
                    room.awaitUninterruptibly();
                }
            }
            bytes += count;
        } finally {
            lock.unlock();
        }
    }

    void remove(long count) {
        lock.lock();
        try {
            bytes -= count;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Nobody waits any more. */
    void close() {
        lock.lock();
        try {
            isClosed = true;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    long waits() {
        lock.lock();
        try {
            return waits;
        } finally {
            lock.unlock();
        }
    }
}
