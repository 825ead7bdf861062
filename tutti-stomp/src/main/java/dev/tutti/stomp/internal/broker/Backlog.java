package dev.tutti.stomp.internal.broker;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Bytes that groups have delivered and the server's threads have not taken yet. At a bound, the groups wait. */
public final class Backlog {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final long bytesMax;
    private long bytes;
    private long waits;
    private boolean isClosed;

    public Backlog(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Waits until there is room. A message larger than the bound waits only until the backlog is empty. */
    public void add(long count) {
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

    public void remove(long count) {
        lock.lock();
        try {
            bytes -= count;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets all waiting threads go on, and later ones pass without waiting. */
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    public long waits() {
        lock.lock();
        try {
            return waits;
        } finally {
            lock.unlock();
        }
    }
}
