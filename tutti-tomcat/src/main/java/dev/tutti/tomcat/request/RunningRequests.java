package dev.tutti.tomcat.request;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Counts the requests that threads serve now, and waits until there are none. Thread-safe. */
public final class RunningRequests {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private int count;

    public void begin() {
        lock.lock();
        try {
            count++;
        } finally {
            lock.unlock();
        }
    }

    public void end() {
        lock.lock();
        try {
            count--;
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public int count() {
        lock.lock();
        try {
            return count;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until no more than {@code most} requests run.
     *
     * @return the number of running requests, which is larger than {@code most} if the time is over or the thread was
     *     interrupted
     */
    public int awaitAtMost(int most, Duration within) {
        long leftNanos = within.toNanos();
        lock.lock();
        try {
            while (count > most && leftNanos > 0) {
                leftNanos = ended.awaitNanos(leftNanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
        return count();
    }
}
