package dev.tutti.grid.client;

import dev.tutti.grid.internal.wire.ClientMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Queue of messages that a client has still to send, in order, and of the measurements that it has sent and that the mediator has not
 * confirmed, which are sent again to the next mediator. Measurements wait also while there is no mediator. If both have more bytes than
 * the bound allows, the oldest are dropped and counted: unconfirmed ones first, since most of them have been passed on. Thread-safe.
 */
final class Outgoing {

    /** Most bytes that are sent as one message, unless one alone is larger. */
    private static final int MESSAGE_BYTES = 32 << 10;

    /** Memory that a message takes besides its bytes, roughly. */
    private static final int OVERHEAD = 64;

    private record Waiting(byte[] bytes, boolean isMeasurement) {
        int size() {
            return bytes.length + OVERHEAD;
        }
    }

    private final long bytesMax;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private ArrayDeque<Waiting> queue = new ArrayDeque<>();
    private long waitingBytes;
    private final ArrayDeque<Waiting> unconfirmed = new ArrayDeque<>();
    private long unconfirmedBytes;
    /** Measurements of this connection that came before those that are unconfirmed. */
    private long settledCount;
    private long forgottenCount;
    private long repeatedCount;
    /** Bytes of those that wait which are no measurements. */
    private long keptBytes;
    /** Bytes of what the connection began with, which is bounded by what is registered and asked. */
    private long firstBytes;
    private long droppedCount;
    private long sentCount;

    Outgoing(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** @return whether the messages that are no measurements are within the bound; they are never dropped */
    boolean add(ClientMessage message) {
        byte[] bytes = ClientMessage.encode(message);
        lock.lock();
        try {
            Waiting next = new Waiting(bytes, message instanceof ClientMessage.Publish);
            queue.add(next);
            waitingBytes += next.size();
            keptBytes += next.isMeasurement ? 0 : next.size();
            while (waitingBytes + unconfirmedBytes > bytesMax && !unconfirmed.isEmpty()) {
                settleOldest();
                forgottenCount++;
            }
            while (waitingBytes > bytesMax && queue.size() > 1 && dropOldest()) {
                droppedCount++;
            }
            changed.signalAll();
            return keptBytes <= bytesMax + firstBytes;
        } finally {
            lock.unlock();
        }
    }

    private void settleOldest() {
        unconfirmedBytes -= unconfirmed.remove().size();
        settledCount++;
    }

    /** Forgets the first measurements of this connection, which the mediator has passed on. */
    void confirm(long count) {
        lock.lock();
        try {
            while (settledCount < count && !unconfirmed.isEmpty()) {
                settleOldest();
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean dropOldest() {
        var oldestFirst = queue.iterator();
        while (oldestFirst.hasNext()) {
            Waiting each = oldestFirst.next();
            if (each.isMeasurement) {
                oldestFirst.remove();
                waitingBytes -= each.size();
                return true;
            }
        }
        return false;
    }

    /**
     * Begins a connection: {@code first} is sent before the measurements that are unconfirmed, and those that wait. What else waited was
     * for the one before.
     */
    void restart(List<ClientMessage> first) {
        lock.lock();
        try {
            ArrayDeque<Waiting> next = new ArrayDeque<>();
            first.forEach(message -> next.add(new Waiting(ClientMessage.encode(message), false)));
            next.addAll(unconfirmed);
            repeatedCount += unconfirmed.size();
            unconfirmed.clear();
            unconfirmedBytes = 0;
            settledCount = 0;
            queue.stream().filter(Waiting::isMeasurement).forEach(next::add);
            queue = next;
            waitingBytes = queue.stream().mapToLong(Waiting::size).sum();
            keptBytes = queue.stream().filter(each -> !each.isMeasurement).mapToLong(Waiting::size).sum();
            firstBytes = keptBytes;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the thread that waits. */
    void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    interface Going {
        boolean isGoingOn();
    }

    /** Waits for something to send; an empty array if it does not go on. */
    byte[] next(Going going) throws InterruptedException {
        lock.lock();
        try {
            while (queue.isEmpty() && going.isGoingOn()) {
                changed.await();
            }
            if (!going.isGoingOn()) {
                return new byte[0];
            }
            List<byte[]> parts = new ArrayList<>();
            int bytes = 0;
            while (!queue.isEmpty() && (parts.isEmpty() || bytes + queue.peek().bytes.length <= MESSAGE_BYTES)) {
                Waiting next = queue.remove();
                waitingBytes -= next.size();
                keptBytes -= next.isMeasurement ? 0 : next.size();
                if (next.isMeasurement) {
                    sentCount++;
                    unconfirmed.add(next);
                    unconfirmedBytes += next.size();
                }
                parts.add(next.bytes);
                bytes += next.bytes.length;
            }
            byte[] all = new byte[bytes];
            int at = 0;
            for (byte[] part : parts) {
                System.arraycopy(part, 0, all, at, part.length);
                at += part.length;
            }
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether nothing waits. */
    boolean isEmpty() {
        lock.lock();
        try {
            return queue.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Returns numbers for monitoring. */
    Map<String, Long> numbers() {
        lock.lock();
        try {
            return Map.of(
                    "sent", sentCount,
                    "sent-again", repeatedCount,
                    "unsent", droppedCount,
                    "unsent-waiting-bytes", waitingBytes,
                    "unconfirmed-bytes", unconfirmedBytes,
                    "unconfirmed-dropped", forgottenCount);
        } finally {
            lock.unlock();
        }
    }
}
