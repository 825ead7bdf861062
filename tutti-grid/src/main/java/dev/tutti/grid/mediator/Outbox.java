package dev.tutti.grid.mediator;

import dev.tutti.grid.Gap;
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
 * Queue of messages to one client. If more measurements would wait than the bound allows, the oldest are dropped, and the client is
 * told before the ones that follow. Messages are offered from any thread, and written on the connection's loop.
 */
final class Outbox {

    /** Most bytes that are written at a time, unless one message alone is larger. */
    private static final int WRITE_BYTES = 32 << 10;

    /** Answers that may wait; a client that has more of them unread asks without reading, and is disconnected. */
    private static final int ANSWERS_MAX = 2 * Session.ENTRIES_MAX;

    /** Memory that a message takes besides its bytes, roughly. */
    private static final int OVERHEAD = 64;

    /** Place where measurements were dropped. */
    private record Place(String consumer, String producer) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            int order = consumer.compareTo(other.consumer);
            return order != 0 ? order : producer.compareTo(other.producer);
        }
    }

    /**
     * @param place consumer and producer of a measurement; null for a message that is not dropped
     * @param onSent called when it waits no longer
     */
    private record Waiting(byte[] bytes, @Nullable Place place, Runnable onSent) {
        int size() {
            return bytes.length + OVERHEAD;
        }
    }

    private final Channel channel;
    private final long bytesMax;
    private final MediatorCounters counters;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final ArrayDeque<Waiting> measurements = new ArrayDeque<>();
    private final ArrayDeque<Waiting> answers = new ArrayDeque<>();
    private final TreeMap<Place, Long> dropped = new TreeMap<>();
    private long waitingBytes;
    private boolean isScheduled;
    private boolean isClosed;

    Outbox(Channel channel, long bytesMax, MediatorCounters counters) {
        this.channel = channel;
        this.bytesMax = bytesMax;
        this.counters = counters;
    }

    /** Takes a message that is not dropped. */
    void offer(ClientMessage message) {
        offer(message, () -> {});
    }

    /** @param onSent called when it waits no longer */
    void offer(ClientMessage message, Runnable onSent) {
        add(answers, new Waiting(ClientMessage.encode(message), null, onSent));
    }

    /** Takes a measurement. Never waits. */
    void offer(ClientMessage.Deliver delivery) {
        Place place = new Place(delivery.consumer(), delivery.measurement().producer());
        add(measurements, new Waiting(ClientMessage.encode(delivery), place, () -> {}));
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
            if (next.place != null) {
                waitingBytes += next.size();
                counters.waitingBytes.add(next.size());
            }
            while (waitingBytes > bytesMax && measurements.size() > 1) {
                Waiting oldest = measurements.remove();
                uncount(oldest);
                if (oldest.place != null) {
                    dropped.merge(oldest.place, 1L, Long::sum);
                    counters.dropped.increment();
                }
            }
            if (!isScheduled) {
                isScheduled = true;
                channel.eventLoop().execute(this::drain);
            }
        } finally {
            lock.unlock();
        }
    }

    private void uncount(Waiting measurement) {
        waitingBytes -= measurement.size();
        counters.waitingBytes.add(-measurement.size());
    }

    /** Writes what the connection takes now. On the loop. */
    void drain() {
        boolean hasWritten = false;
        while (channel.isWritable()) {
            ByteBuf next = next();
            if (next == null) {
                break;
            }
            hasWritten = true;
            channel.write(new BinaryWebSocketFrame(next));
        }
        if (hasWritten) {
            channel.flush();
        }
    }

    private @Nullable ByteBuf next() {
        lock.lock();
        try {
            ByteBuf out = channel.alloc().buffer();
            while (out.readableBytes() < WRITE_BYTES) {
                byte[] bytes = nextBytes();
                if (bytes == null) {
                    break;
                }
                out.writeBytes(bytes);
            }
            if (out.isReadable()) {
                return out;
            }
            out.release();
            isScheduled = false;
            return null;
        } finally {
            lock.unlock();
        }
    }

    private byte @Nullable [] nextBytes() {
        Waiting answer = answers.poll();
        if (answer != null) {
            answer.onSent.run();
            return answer.bytes;
        }
        Map.Entry<Place, Long> gap = dropped.pollFirstEntry();
        if (gap != null) {
            String reason = "more than " + bytesMax + " bytes would have waited for the client at its mediator";
            Place place = gap.getKey();
            return ClientMessage.encode(new ClientMessage.Missing(place.consumer, new Gap(place.producer, gap.getValue(), reason)));
        }
        Waiting measurement = measurements.poll();
        if (measurement == null) {
            return null;
        }
        uncount(measurement);
        counters.delivered.increment();
        return measurement.bytes;
    }

    void close() {
        lock.lock();
        try {
            isClosed = true;
            measurements.forEach(this::uncount);
            measurements.clear();
            answers.clear();
            dropped.clear();
        } finally {
            lock.unlock();
        }
    }
}
