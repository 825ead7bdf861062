package dev.tutti.grid.member;

import dev.tutti.Group;
import dev.tutti.SendException;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.core.Member;
import dev.tutti.grid.Gap;
import dev.tutti.grid.internal.codec.GridCodec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Measurements on their way to a member or to a site, in order. They are sent at once if that is possible; otherwise they wait, and
 * a thread sends them. If more would wait than the bound allows, the oldest are dropped, and a record of the gap takes their place.
 */
final class Flow implements Sink {

    /** Most bytes of records that are sent as one message, unless one record alone is larger. */
    private static final int MESSAGE_BYTES = 32 << 10;

    /** Way to the destination. */
    interface Way {

        /** Sends if that is possible at once. */
        boolean trySend(byte[] message);

        /** Waits until it is sent. */
        void send(byte[] message);
    }

    /** Way to another member of the site. */
    record ToMember(Group group, Member member) implements Way {

        @Override
        public boolean trySend(byte[] message) {
            return group.trySendTo(member, message, 0, message.length);
        }

        @Override
        public void send(byte[] message) {
            group.sendTo(member, message);
        }
    }

    /**
     * @param count measurements that are missing without it: one for a measurement, those of a gap
     * @param nanos time at which it was offered
     */
    private record Waiting(String producer, byte[] record, long count, long nanos) {}

    private final Threads threads;
    private final String name;
    private final Way way;
    private final long bytesMax;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
    private final TreeMap<String, Long> dropped = new TreeMap<>();
    private long waitingBytes;
    private boolean isPumping;
    private boolean isClosed;
    /** Time at which the oldest record was offered of those that are being sent; null if none is. */
    private @Nullable Long sendingNanos;
    private long sentCount;
    private long droppedCount;

    /** @param name of the destination, for threads and people */
    Flow(Threads threads, String name, Way way, long bytesMax) {
        this.threads = threads;
        this.name = name;
        this.way = way;
        this.bytesMax = bytesMax;
    }

    @Override
    public void offer(Shipment shipment) {
        offer(shipment.measurement().producer(), shipment.bytes(), 1);
    }

    @Override
    public void offer(Gap gap) {
        offer(gap.producer(), record(gap), gap.count());
    }

    private void offer(String producer, byte[] record, long count) {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            if (!isPumping && isHandled(record)) {
                return;
            }
            queue.add(new Waiting(producer, record, count, threads.nanoTime()));
            waitingBytes += record.length;
            while (waitingBytes > bytesMax) {
                Waiting oldest = queue.remove();
                waitingBytes -= oldest.record.length;
                dropped.merge(oldest.producer, oldest.count, Long::sum);
                droppedCount += oldest.count;
            }
            if (!isPumping) {
                isPumping = true;
                threads.start("tutti-grid-to-" + name, this::pump);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a record is sent at once, or can't be sent any more. */
    private boolean isHandled(byte[] record) {
        try {
            boolean isSent = way.trySend(record);
            sentCount += isSent ? 1 : 0;
            return isSent;
        } catch (SendException e) {
            // The destination has gone: the view that says so is on its way.
            droppedCount++;
            return true;
        }
    }

    private void pump() {
        for (byte[] message = next(); message.length > 0; message = next()) {
            while (!isSent(message)) {
                // It waits again, and meanwhile the queue keeps its bound.
            }
        }
    }

    /** Returns whether a message is sent, or nothing can be sent any more. */
    private boolean isSent(byte[] message) {
        try {
            way.send(message);
            return true;
        } catch (SendException e) {
            if (mayContinue(e)) {
                return false;
            }
            close();
            return true;
        }
    }

    /** Returns whether a message that could not be sent may be sent later. */
    static boolean mayContinue(SendException e) {
        return switch (e.reason()) {
            case WINDOW_CLOSED, VIEW_CHANGE, QUEUE_FULL, NOT_PRIMARY -> true;
            default -> false;
        };
    }

    /** Returns the next message; an empty one if there is none, and then the thread ends. */
    private byte[] next() {
        lock.lock();
        try {
            List<byte[]> records = new ArrayList<>();
            int bytes = 0;
            for (Map.Entry<String, Long> each : dropped.entrySet()) {
                byte[] record = gap(each.getKey(), each.getValue());
                records.add(record);
                bytes += record.length;
            }
            dropped.clear();
            Waiting oldest = queue.peek();
            sendingNanos = oldest == null ? null : oldest.nanos;
            while (!queue.isEmpty() && (records.isEmpty() || bytes + queue.peek().record.length <= MESSAGE_BYTES)) {
                byte[] record = queue.remove().record;
                records.add(record);
                bytes += record.length;
                waitingBytes -= record.length;
                sentCount++;
            }
            isPumping = !records.isEmpty();
            return Records.join(records, bytes);
        } finally {
            lock.unlock();
        }
    }

    private byte[] gap(String producer, long count) {
        return record(new Gap(producer, count, "more than " + bytesMax + " bytes would have waited for " + name));
    }

    private static byte[] record(Gap gap) {
        ByteOutput out = new ByteOutput();
        Records.begin(out, Records.GAP);
        GridCodec.GAP.put(gap, out);
        return Records.end(out);
    }

    /** Returns whether all that was offered before {@code nanos} has been sent, or dropped. */
    boolean isPassedOn(long nanos) {
        lock.lock();
        try {
            Long sending = sendingNanos;
            Waiting oldest = queue.peek();
            return (sending == null || sending - nanos >= 0) && (oldest == null || oldest.nanos - nanos >= 0);
        } finally {
            lock.unlock();
        }
    }

    long waitingBytes() {
        lock.lock();
        try {
            return waitingBytes;
        } finally {
            lock.unlock();
        }
    }

    long sent() {
        lock.lock();
        try {
            return sentCount;
        } finally {
            lock.unlock();
        }
    }

    long dropped() {
        lock.lock();
        try {
            return droppedCount;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            isClosed = true;
            sendingNanos = null;
            queue.clear();
            dropped.clear();
            waitingBytes = 0;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
