package dev.tutti.stomp.client;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Calls of listeners that wait, up to a number of bytes, and the thread that makes them one after the other. */
final class Deliveries {

    /** Bytes that a call takes besides those of its message. */
    private static final int CALL_BYTES = 256;

    private record Call(long bytes, Runnable task) {}

    private final long bytesMax;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Call> waiting = new ArrayDeque<>();
    private final Runnable onDead;
    private long bytes;
    private boolean isClosed;

    /** @param onDead called when the thread ends by an error of a listener */
    Deliveries(String name, long bytesMax, Runnable onDead) {
        this.bytesMax = bytesMax;
        this.onDead = onDead;
        Thread.ofVirtual().name(name + "-listeners").start(this::run);
    }

    /** Adds a call. It waits while there is no room; a call alone always has room. */
    void add(long messageBytes, Runnable task) throws InterruptedException {
        long more = messageBytes + CALL_BYTES;
        lock.lockInterruptibly();
        try {
            while (!isClosed && bytes > 0 && bytes + more > bytesMax) {
                changed.await();
            }
            if (!isClosed) {
                bytes += more;
                waiting.add(new Call(more, task));
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        boolean isDead = true;
        try {
            for (Call call = take(); call != null; call = take()) {
                run(call);
            }
            isDead = false;
        } finally {
            if (isDead) {
                onDead.run();
            }
        }
    }

    private void run(Call call) {
        try {
            call.task.run();
        } catch (RuntimeException e) {
            // As of a thread of the program's own; the next message is delivered all the same.
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        } finally {
            release(call);
        }
    }

    private @Nullable Call take() {
        lock.lock();
        try {
            while (waiting.isEmpty() && !isClosed) {
                changed.awaitUninterruptibly();
            }
            return isClosed ? null : waiting.removeFirst();
        } finally {
            lock.unlock();
        }
    }

    private void release(Call call) {
        lock.lock();
        try {
            bytes -= call.bytes;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    long waitingBytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    /** Drops what waits. The call that runs is not interrupted. */
    void close() {
        lock.lock();
        try {
            isClosed = true;
            waiting.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
