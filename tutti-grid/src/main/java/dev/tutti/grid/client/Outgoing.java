package dev.tutti.grid.client;

import dev.tutti.grid.Measurement;
import dev.tutti.grid.internal.wire.ClientMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

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

    /** A measurement that follows the one before sooner waits for the thread that sends, which sends those that have come meanwhile as one message. */
    private static final long APART_NANOS = 1_000_000L;

    /** Most producers of which consumers are told what was dropped; what further ones lack is only counted. */
    private static final int LOST_MAX = 10_000;

    /** Connection with a mediator. */
    interface Way {

        boolean isOpen();

        /** Sends a message, without waiting; completes when the next one may be sent. */
        CompletableFuture<?> send(byte[] message);
    }

    /**
     * @param producer of a measurement, or of measurements that were dropped; null for a message that is not dropped
     * @param lost number of measurements that were dropped; 0 for a measurement
     */
    private record Waiting(byte[] bytes, @Nullable String producer, long lost) {

        static Waiting of(ClientMessage message) {
            byte[] bytes = ClientMessage.encode(message);
            return switch (message) {
                case ClientMessage.Publish(Measurement measurement) -> new Waiting(bytes, measurement.producer(), 0);
                case ClientMessage.Lost(String producer, long count) -> new Waiting(bytes, producer, count);
                default -> new Waiting(bytes, null, 0);
            };
        }

        boolean isMeasurement() {
            return producer != null;
        }

        int size() {
            return bytes.length + OVERHEAD;
        }
    }

    private final long bytesMax;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private @Nullable Way way;
    private boolean isSending;
    /** True if it is the thread that calls {@link #next} that is sending. */
    private boolean isThreadSending;
    private long sentNanos;
    private ArrayDeque<Waiting> queue = new ArrayDeque<>();
    private long waitingBytes;
    private final ArrayDeque<Waiting> unconfirmed = new ArrayDeque<>();
    private long unconfirmedBytes;
    /** Measurements of this connection that came before those that are unconfirmed. */
    private long settledCount;
    private long forgottenCount;
    /** Measurements that were dropped, by producer, of which the mediator has not been told. */
    private final TreeMap<String, Long> lost = new TreeMap<>();
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

    /**
     * Adds a message. A measurement is sent at once, by this thread, if nothing waits and the one before was sent a while ago: to wake another thread
     * takes longer, most of all when the processors are busy.
     *
     * @return whether the messages that are no measurements are within the bound; they are never dropped
     */
    boolean add(ClientMessage message) {
        Waiting next = Waiting.of(message);
        Way direct;
        boolean fits;
        lock.lock();
        try {
            direct = next.isMeasurement() ? idleWay() : null;
            if (direct == null) {
                enqueue(next);
            } else {
                isSending = true;
                onSending(next);
            }
            while (waitingBytes + unconfirmedBytes > bytesMax && !unconfirmed.isEmpty()) {
                settleOldest();
                forgottenCount++;
            }
            while (waitingBytes > bytesMax && queue.size() > 1 && dropOldest()) {
                // Until it fits, or nothing is left that may be dropped.
            }
            fits = keptBytes <= bytesMax + firstBytes;
        } finally {
            lock.unlock();
        }
        if (direct != null) {
            direct.send(next.bytes).whenComplete((_, _) -> onSent(direct));
        }
        return fits;
    }

    /** Returns the connection if a message may be sent on it at once. */
    private @Nullable Way idleWay() {
        Way present = way;
        boolean isIdle = present != null && present.isOpen() && !isSending && queue.isEmpty() && lost.isEmpty()
                && System.nanoTime() - sentNanos >= APART_NANOS;
        return isIdle ? present : null;
    }

    private void enqueue(Waiting next) {
        queue.add(next);
        waitingBytes += next.size();
        keptBytes += next.isMeasurement() ? 0 : next.size();
        changed.signalAll();
    }

    private void onSending(Waiting measurement) {
        sentCount += measurement.lost == 0 ? 1 : 0;
        unconfirmed.add(measurement);
        unconfirmedBytes += measurement.size();
    }

    private void onSent(Way sent) {
        lock.lock();
        try {
            // Otherwise it was on the connection before.
            if (way == sent) {
                onSent();
            }
        } finally {
            lock.unlock();
        }
    }

    private void onSent() {
        isSending = false;
        isThreadSending = false;
        sentNanos = System.nanoTime();
        if (!queue.isEmpty()) {
            changed.signalAll();
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
            if (each.producer != null) {
                oldestFirst.remove();
                waitingBytes -= each.size();
                droppedCount += each.lost == 0 ? 1 : 0;
                if (lost.size() < LOST_MAX || lost.containsKey(each.producer)) {
                    lost.merge(each.producer, Math.max(1, each.lost), Long::sum);
                }
                return true;
            }
        }
        return false;
    }

    /**
     * Begins a connection: {@code first} is sent before the measurements that are unconfirmed, and those that wait. What else waited was
     * for the one before.
     */
    void restart(List<ClientMessage> first, Way connection) {
        lock.lock();
        try {
            way = connection;
            isSending = false;
            isThreadSending = false;
            sentNanos = System.nanoTime() - APART_NANOS;
            ArrayDeque<Waiting> next = new ArrayDeque<>();
            first.forEach(message -> next.add(Waiting.of(message)));
            next.addAll(unconfirmed);
            repeatedCount += unconfirmed.stream().filter(each -> each.lost == 0).count();
            unconfirmed.clear();
            unconfirmedBytes = 0;
            settledCount = 0;
            queue.stream().filter(Waiting::isMeasurement).forEach(next::add);
            queue = next;
            waitingBytes = queue.stream().mapToLong(Waiting::size).sum();
            keptBytes = queue.stream().filter(each -> !each.isMeasurement()).mapToLong(Waiting::size).sum();
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

    /** Waits for something to send, which the caller has sent when it calls this again; an empty array if it does not go on. */
    byte[] next(Going going) throws InterruptedException {
        lock.lock();
        try {
            if (isThreadSending) {
                onSent();
            }
            while ((queue.isEmpty() || isSending) && going.isGoingOn()) {
                changed.await();
            }
            if (!going.isGoingOn()) {
                return new byte[0];
            }
            List<byte[]> parts = new ArrayList<>();
            int bytes = 0;
            while (!queue.isEmpty() && (parts.isEmpty() || bytes + queue.peek().bytes.length <= MESSAGE_BYTES)) {
                if (!lost.isEmpty() && queue.element().isMeasurement()) {
                    // What was dropped is older than the measurements that are left.
                    lost.descendingMap().forEach((producer, count) -> putFirst(Waiting.of(new ClientMessage.Lost(producer, count))));
                    lost.clear();
                }
                Waiting next = queue.remove();
                waitingBytes -= next.size();
                if (next.isMeasurement()) {
                    onSending(next);
                } else {
                    keptBytes -= next.size();
                }
                parts.add(next.bytes);
                bytes += next.bytes.length;
            }
            isSending = true;
            isThreadSending = true;
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

    private void putFirst(Waiting each) {
        queue.addFirst(each);
        waitingBytes += each.size();
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
