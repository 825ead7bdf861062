package dev.tutti.stomp.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Messages that have no receipt yet, in the order in which they are sent, and again on each new connection; and frames of one connection. */
final class Outbox {

    /** Bytes that a message takes besides those of its frame. */
    private static final int ENTRY_BYTES = 256;

    private static final class Entry {

        private final byte[] frame;
        private final CompletableFuture<Void> receipt = new CompletableFuture<>();
        private boolean isWritten;

        Entry(byte[] frame) {
            this.frame = frame;
        }

        long bytes() {
            return (long) frame.length + ENTRY_BYTES;
        }
    }

    private final int countMax;
    private final long bytesMax;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final LinkedHashMap<String, Entry> unconfirmed = new LinkedHashMap<>();
    private final ArrayDeque<byte[]> ofConnection = new ArrayDeque<>();
    private final ArrayDeque<Entry> unwritten = new ArrayDeque<>();
    private long bytes;
    private boolean isConnected;
    private @Nullable StompException end;

    Outbox(int countMax, long bytesMax) {
        this.countMax = countMax;
        this.bytesMax = bytesMax;
    }

    /**
     * Adds a message, and waits for room if there is none.
     *
     * @throws StompException if there is no room in time, or the client is closed
     */
    CompletableFuture<Void> add(String receipt, byte[] frame, long waitNanos) throws InterruptedException {
        Entry entry = new Entry(frame);
        if (entry.bytes() > bytesMax) {
            throw new StompException("a message of " + frame.length + " bytes is larger than the " + bytesMax + " bytes that may wait for receipts");
        }
        lock.lockInterruptibly();
        try {
            long leftNanos = waitNanos;
            while (end == null && (unconfirmed.size() >= countMax || bytes + entry.bytes() > bytesMax)) {
                if (leftNanos <= 0) {
                    throw new StompException(unconfirmed.size() + " messages with " + bytes + " bytes wait for receipts; there was no room for another one within "
                            + TimeUnit.NANOSECONDS.toMillis(waitNanos) + " ms");
                }
                leftNanos = changed.awaitNanos(leftNanos);
            }
            checkOpen();
            unconfirmed.put(receipt, entry);
            bytes += entry.bytes();
            unwritten.add(entry);
            changed.signalAll();
            return entry.receipt;
        } finally {
            lock.unlock();
        }
    }

    private void checkOpen() {
        if (end != null) {
            throw end;
        }
    }

    /** Begins a connection with frames of its own, before all messages without a receipt. */
    void begin(List<byte[]> frames) {
        lock.lock();
        try {
            ofConnection.clear();
            ofConnection.addAll(frames);
            unwritten.clear();
            unconfirmed.values().forEach(each -> each.isWritten = false);
            unwritten.addAll(unconfirmed.values());
            isConnected = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Adds a frame of the present connection; without one it is dropped, since the next one begins anew. */
    void addToConnection(byte[] frame) {
        lock.lock();
        try {
            if (isConnected) {
                ofConnection.add(frame);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the connection: {@link #next} returns null. */
    void endConnection() {
        lock.lock();
        try {
            isConnected = false;
            ofConnection.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the next frame; returns a heart-beat if there is none in time, and null when the connection has ended. */
    byte @Nullable [] next(long waitNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long leftNanos = waitNanos;
            while (isConnected) {
                byte[] frame = ofConnection.poll();
                if (frame != null) {
                    return frame;
                }
                Entry entry = unwritten.poll();
                if (entry != null) {
                    entry.isWritten = true;
                    return entry.frame;
                }
                if (leftNanos <= 0) {
                    return Frames.HEART_BEAT;
                }
                leftNanos = changed.awaitNanos(leftNanos);
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the future of a message that now has a receipt, or null if it had none to wait for. */
    @Nullable CompletableFuture<Void> confirm(String receipt) {
        lock.lock();
        try {
            Entry entry = unconfirmed.remove(receipt);
            if (entry == null) {
                return null;
            }
            bytes -= entry.bytes();
            unwritten.remove(entry);
            changed.signalAll();
            return entry.receipt;
        } finally {
            lock.unlock();
        }
    }

    /** Takes out the messages that were written to the present connection and have no receipt. */
    List<CompletableFuture<Void>> removeWritten() {
        lock.lock();
        try {
            List<String> written = unconfirmed.entrySet().stream().filter(each -> each.getValue().isWritten).map(Map.Entry::getKey).toList();
            List<CompletableFuture<Void>> futures = new ArrayList<>();
            for (String each : written) {
                CompletableFuture<Void> future = confirm(each);
                if (future != null) {
                    futures.add(future);
                }
            }
            return futures;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until all messages have receipts; returns whether they have. */
    boolean awaitEmpty(long waitNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long leftNanos = waitNanos;
            while (!unconfirmed.isEmpty() && leftNanos > 0) {
                leftNanos = changed.awaitNanos(leftNanos);
            }
            return unconfirmed.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Refuses further messages, and returns the futures of those without a receipt. */
    List<CompletableFuture<Void>> close(StompException reason) {
        lock.lock();
        try {
            if (end == null) {
                end = reason;
            }
            List<CompletableFuture<Void>> futures = unconfirmed.values().stream().map(each -> each.receipt).toList();
            unconfirmed.clear();
            unwritten.clear();
            bytes = 0;
            isConnected = false;
            changed.signalAll();
            return futures;
        } finally {
            lock.unlock();
        }
    }

    long count() {
        lock.lock();
        try {
            return unconfirmed.size();
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
}
