package dev.tutti.grid.mediator;

import dev.tutti.grid.Gap;
import dev.tutti.grid.internal.memory.Share;
import dev.tutti.grid.internal.wire.ClientMessage;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Queue of messages to one client. If more measurements would wait than the bound allows, or this queue is the largest of those that
 * have too much together, the oldest are dropped, and the client is told before the ones that follow. Messages are offered from any thread, and written on the connection's loop.
 */
final class Outbox implements Share.Holder {

    /** Most bytes that are written at a time, unless one message alone is larger. */
    private static final int WRITE_BYTES = 32 << 10;

    /** Answers that may wait; a client that has more of them unread asks without reading, and is disconnected. */
    private static final int ANSWERS_MAX = 2 * Session.ENTRIES_MAX;

    /** Places whose dropped measurements are counted apart; those of further ones are counted together for each consumer. */
    private static final int PLACES_MAX = 1_000;

    /** Memory that a message takes besides its bytes, roughly. */
    private static final int OVERHEAD = 64;

    /** A client that has taken nothing for this time weighs twice as much. */
    private static final double PATIENCE_NANOS = 100_000_000.0;

    /** Place where measurements were dropped. */
    private record Place(String consumer, String producer) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            int order = consumer.compareTo(other.consumer);
            return order != 0 ? order : producer.compareTo(other.producer);
        }
    }

    /**
     * @param place consumer and producer of a measurement, or of a gap; null for a message that is not dropped
     * @param count measurements that are missing without it: one for a measurement, those of a gap
     * @param onSent called when it waits no longer
     * @param isHeld whether it counts as held memory
     */
    private record Waiting(byte[] bytes, @Nullable Place place, long count, Runnable onSent, boolean isHeld) {

        static Waiting message(byte[] bytes, Runnable onSent) {
            return new Waiting(bytes, null, 0, onSent, true);
        }

        /** Returns a measurement or a gap, which keep their order. */
        static Waiting droppable(ClientMessage message, Place place, long count) {
            return new Waiting(ClientMessage.encode(message), place, count, () -> {}, true);
        }

        /** Returns a message that is made when it is written. */
        static Waiting unheld(byte[] bytes) {
            return new Waiting(bytes, null, 0, () -> {}, false);
        }

        int size() {
            return bytes.length + OVERHEAD;
        }
    }

    private final Channel channel;
    private final long bytesMax;
    private final Share share;
    private final MediatorCounters counters;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final ArrayDeque<Waiting> measurements = new ArrayDeque<>();
    private final ArrayDeque<Waiting> answers = new ArrayDeque<>();
    private final TreeMap<Place, Long> dropped = new TreeMap<>();
    private long waitingBytes;
    private boolean isScheduled;
    private boolean isClosed;

    /** All that it has of the share: what waits, and what is being written. Written under the lock. */
    private volatile long heldBytes;

    /** Time at which the client took something, or had taken all. */
    private volatile long takenNanos;

    /** @param share memory of all queues together */
    Outbox(Channel channel, long bytesMax, Share share, MediatorCounters counters) {
        this.channel = channel;
        this.bytesMax = bytesMax;
        this.share = share;
        this.counters = counters;
        share.enter(this);
    }

    /** Takes a message that is not dropped. */
    void offer(ClientMessage message) {
        offer(message, () -> {});
    }

    /** @param onSent called when it waits no longer */
    void offer(ClientMessage message, Runnable onSent) {
        add(answers, Waiting.message(ClientMessage.encode(message), onSent));
    }

    /** Takes a measurement. Never waits. */
    void offer(ClientMessage.Deliver delivery) {
        add(measurements, Waiting.droppable(delivery, new Place(delivery.consumer(), delivery.measurement().producer()), 1));
    }

    /** Takes a gap, which comes behind the measurements before it. Never waits. */
    void offer(ClientMessage.Missing missing) {
        add(measurements, Waiting.droppable(missing, new Place(missing.consumer(), missing.gap().producer()), missing.gap().count()));
    }

    private void add(ArrayDeque<Waiting> queue, Waiting next) {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            if (answers.size() >= ANSWERS_MAX) {
                counters.refused.increment();
                channel.close();
                return;
            }
            queue.add(next);
            hold(next.size());
            if (next.place != null) {
                waitingBytes += next.size();
                counters.waitingBytes.add(next.size());
            }
            while (waitingBytes > bytesMax && measurements.size() > 1) {
                dropOldest();
            }
            if (!isScheduled) {
                isScheduled = true;
                channel.eventLoop().execute(this::drain);
            }
        } finally {
            lock.unlock();
        }
        share.relieve();
    }

    private void hold(long bytes) {
        if (heldBytes == 0) {
            takenNanos = System.nanoTime();
        }
        heldBytes += bytes;
        share.add(bytes);
    }

    private void dropOldest() {
        Waiting oldest = measurements.remove();
        uncount(oldest);
        hold(-oldest.size());
        if (oldest.place != null) {
            Place place = oldest.place;
            boolean isOneOfMany = dropped.size() >= PLACES_MAX && !dropped.containsKey(place);
            dropped.merge(isOneOfMany ? new Place(place.consumer, "") : place, oldest.count, Long::sum);
            counters.dropped.increment();
        }
    }

    private void uncount(Waiting measurement) {
        waitingBytes -= measurement.size();
        counters.waitingBytes.add(-measurement.size());
    }

    @Override
    public long heldBytes() {
        return heldBytes;
    }

    /** Returns more for a client that has taken nothing for a while: one that reads has little for a moment only. */
    @Override
    public double weight() {
        return heldBytes * (1 + (System.nanoTime() - takenNanos) / PATIENCE_NANOS);
    }

    /** Drops the oldest measurements. A client for which answers, and what is being written to it, are too much alone is disconnected. */
    @Override
    public void giveBack(long bytes) {
        lock.lock();
        try {
            if (measurements.isEmpty()) {
                counters.evicted.increment();
                channel.close();
                end();
                return;
            }
            long enough = heldBytes - bytes;
            while (heldBytes > enough && !measurements.isEmpty()) {
                dropOldest();
            }
            // The client is told what is missing, also if nothing follows.
            if (!isClosed && !isScheduled) {
                isScheduled = true;
                channel.eventLoop().execute(this::drain);
            }
        } finally {
            lock.unlock();
        }
    }

    /** A part of the queue that is written at once. */
    private record Written(ByteBuf bytes, long size) {}

    /** Writes what the connection takes now. On the loop. */
    void drain() {
        boolean hasWritten = false;
        while (channel.isWritable()) {
            Written next = next();
            if (next == null) {
                break;
            }
            hasWritten = true;
            channel.write(new BinaryWebSocketFrame(next.bytes)).addListener(_ -> onWritten(next.size));
        }
        if (hasWritten) {
            channel.flush();
        }
    }

    private void onWritten(long size) {
        lock.lock();
        try {
            if (!isClosed) {
                takenNanos = System.nanoTime();
                hold(-size);
            }
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Written next() {
        lock.lock();
        try {
            ByteBuf out = channel.alloc().buffer();
            long size = 0;
            while (out.readableBytes() < WRITE_BYTES) {
                Waiting next = nextWaiting();
                if (next == null) {
                    break;
                }
                out.writeBytes(next.bytes);
                size += next.isHeld ? next.size() : 0;
            }
            if (out.isReadable()) {
                return new Written(out, size);
            }
            out.release();
            isScheduled = false;
            return null;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Waiting nextWaiting() {
        Waiting answer = answers.poll();
        if (answer != null) {
            answer.onSent.run();
            return answer;
        }
        Map.Entry<Place, Long> gap = dropped.pollFirstEntry();
        if (gap != null) {
            String reason = "more measurements would have waited at the mediator than it keeps for a client, " + bytesMax
                    + " bytes, or for all clients, " + share.bytesMax() + " bytes";
            Place place = gap.getKey();
            return Waiting.unheld(ClientMessage.encode(new ClientMessage.Missing(place.consumer, new Gap(place.producer, gap.getValue(), reason))));
        }
        Waiting measurement = measurements.poll();
        if (measurement == null) {
            return null;
        }
        uncount(measurement);
        counters.delivered.increment();
        return measurement;
    }

    void close() {
        lock.lock();
        try {
            end();
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        isClosed = true;
        share.leave(this);
        hold(-heldBytes);
        measurements.forEach(this::uncount);
        measurements.clear();
        answers.clear();
        dropped.clear();
    }
}
