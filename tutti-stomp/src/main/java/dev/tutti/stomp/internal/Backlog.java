package dev.tutti.stomp.internal;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Bytes that groups have delivered and the server's threads have not taken yet. At a bound, the groups wait. */
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

    /** Waits until there is room. A message larger than the bound waits only until the backlog is empty. */
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

    /** Lets all waiting threads go on, and later ones pass without waiting. */
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
