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
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measurements on their way to a member or to a site, in order. They are sent at once if that is possible; otherwise they wait for each
 * other until the linger time is over, and a thread sends them. If more would wait than the bound allows, the oldest are dropped, and a record of the gap takes their place.
 */
final class Flow implements Sink {

    private static final Logger LOG = LoggerFactory.getLogger(Flow.class);

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

    /** Numbers of all ways of a grid, also of those to members and sites that are gone. Thread-safe. */
    static final class Counters {

        /** Measurements and records of gaps that were sent. */
        final LongAdder sent = new LongAdder();

        /** Measurements that were dropped before they were sent. */
        final LongAdder unsent = new LongAdder();
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
    private final long lingerNanos;
    private final Counters counters;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition done;

    // Guarded by the lock.
    private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
    private final TreeMap<String, Long> dropped = new TreeMap<>();
    private long waitingBytes;
    private boolean isPumping;
    private boolean isClosed;
    /** Time at which the oldest record was offered of those that are being sent; null if none is. */
    private @Nullable Long sendingNanos;
    /** Measurements among them. */
    private long sendingCount;

    /**
     * @param name of the destination, for threads and people
     * @param lingerNanos a thread sends records at the multiples of this time, so that later ones go in the same message; 0 for at once
     * @param counters of all ways of the grid
     */
    Flow(Threads threads, String name, Way way, long bytesMax, long lingerNanos, Counters counters) {
        this.threads = threads;
        this.name = name;
        this.way = way;
        this.bytesMax = bytesMax;
        this.lingerNanos = lingerNanos;
        this.counters = counters;
        this.done = threads.condition(lock);
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
                counters.unsent.add(oldest.count);
            }
            if (!isPumping) {
                isPumping = true;
                startPump();
            }
        } finally {
            lock.unlock();
        }
    }

    private void startPump() {
        String thread = "tutti-grid-to-" + name;
        if (lingerNanos == 0) {
            threads.start(thread, this::pump);
        } else {
            // At the times at which all flows with this linger send: what a member has for several sites leaves it in one packet.
            threads.startAfter(lingerNanos - Math.floorMod(threads.nanoTime(), lingerNanos), thread, this::pump);
        }
    }

    /** Returns whether a record is sent at once, or can't be sent any more. */
    private boolean isHandled(byte[] record) {
        try {
            boolean isSent = way.trySend(record);
            if (isSent) {
                counters.sent.increment();
            }
            return isSent;
        } catch (SendException e) {
            // The destination has gone: the view that says so is on its way.
            counters.unsent.increment();
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
            sendingCount = 0;
            while (!queue.isEmpty() && (records.isEmpty() || bytes + queue.peek().record.length <= MESSAGE_BYTES)) {
                Waiting next = queue.remove();
                byte[] record = next.record;
                sendingCount += next.count;
                records.add(record);
                bytes += record.length;
                waitingBytes -= record.length;
                counters.sent.increment();
            }
            isPumping = !records.isEmpty();
            if (!isPumping) {
                done.signalAll();
            }
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

    /**
     * Waits until all that was offered to some flows has been sent, for {@code nanosMax} at most. What waits still is dropped by {@link #close},
     * and the log has the number.
     *
     * @return the number of measurements that are not sent
     */
    static long await(List<Flow> flows, Threads threads, long nanosMax) {
        long end = threads.nanoTime() + nanosMax;
        long all = 0;
        for (Flow flow : flows) {
            long unsent = flow.await(end);
            all += unsent;
            if (unsent > 0) {
                LOG.warn("Grid: {} measurements for {} were not sent before the grid was closed", unsent, flow);
            }
        }
        return all;
    }

    /** Returns the number of measurements that still wait. */
    private long await(long endNanos) {
        lock.lock();
        try {
            awaitDone(endNanos);
            return queue.stream().mapToLong(Waiting::count).sum() + (isPumping ? sendingCount : 0);
        } finally {
            lock.unlock();
        }
    }

    private void awaitDone(long endNanos) {
        try {
            long left = endNanos - threads.nanoTime();
            while (isPumping && !isClosed && left > 0) {
                left = done.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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

    void close() {
        lock.lock();
        try {
            isClosed = true;
            counters.unsent.add(queue.stream().mapToLong(Waiting::count).sum());
            done.signalAll();
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
