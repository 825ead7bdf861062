package dev.tutti.stomp.internal.session;

import dev.tutti.stomp.internal.broker.Publication;
import dev.tutti.stomp.internal.codec.FrameException;
import dev.tutti.stomp.internal.codec.StompFault;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The clients of one thread and the deliveries to them. Everything but {@link #offer} belongs to that thread. */
final class Shard {

    /** Interval at which connections are checked for time-outs, in milliseconds. */
    static final long TICK_MILLIS = 100;

    /** Number of publications that are handled between two polls of the sockets. */
    private static final int BATCH = 128;

    private final Hub hub;
    private final EventLoop loop;
    private final SubscriptionTree subscriptions = new SubscriptionTree();
    private final Set<StompConnection> connections = new LinkedHashSet<>();

    private final List<StompConnection> written = new ArrayList<>();
    private final Queue<Publication> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isScheduled = new AtomicBoolean();
    private final Runnable drain = this::drain;
    private Publication current;
    private volatile long largestBytes;

    Shard(Hub hub, EventLoop loop) {
        this.hub = hub;
        this.loop = loop;
        this.current = hub.nothing();
    }

    void start() {
        loop.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    EventLoop loop() {
        return loop;
    }

    SubscriptionTree subscriptions() {
        return subscriptions;
    }

    // ------------------------------------------------------------------ deliveries

    /** Delivers to the subscribers; from any thread. */
    void offer(Publication publication) {
        queue.add(publication);
        if (!isScheduled.get() && isScheduled.compareAndSet(false, true)) {
            loop.execute(drain);
        }
    }

    private void drain() {
        isScheduled.set(false);
        int count = 0;
        Publication next = queue.poll();
        while (next != null) {
            current = next;
            if (!subscriptions.isEmpty()) {
                subscriptions.match(next.destination(), this::pass);
            }
            hub.onDrained(next);
            count++;
            next = count < BATCH ? queue.poll() : null;
        }
        current = hub.nothing();
        flush();
        if (!queue.isEmpty() && isScheduled.compareAndSet(false, true)) {
            loop.execute(drain);
        }
    }

    private void pass(Subscription subscription) {
        if (subscription.destination().isInfo() == current.isInfo() && !subscription.isReplaying(current)) {
            subscription.session().deliver(subscription, current);
        }
    }

    /** Notes that a connection has something to flush when the batch is over. */
    void onWritten(StompConnection connection) {
        written.add(connection);
    }

    private void flush() {
        for (StompConnection connection : written) {
            connection.flushBatch();
        }
        written.clear();
    }

    // ------------------------------------------------------------------ connections

    void add(StompConnection connection) {
        connections.add(connection);
    }

    void remove(StompConnection connection) {
        connections.remove(connection);
    }

    /** Disconnects the client that holds the most. */
    void evictLargest() {
        StompConnection largest = null;
        long next = 0;
        for (StompConnection connection : connections) {
            if (largest == null || connection.heldBytes() > largest.heldBytes()) {
                next = largest == null ? 0 : largest.heldBytes();
                largest = connection;
            } else {
                next = Math.max(next, connection.heldBytes());
            }
        }
        largestBytes = next;
        if (largest != null && largest.heldBytes() > 0) {
            largest.drop(StompFault.MEMORY);
        }
    }

    /** Notes how many bytes are held for one client. */
    void onHeld(long bytes) {
        if (bytes > largestBytes) {
            largestBytes = bytes;
        }
    }

    /** Returns an estimate of the bytes held by the client that holds the most; from any thread. */
    long largestBytes() {
        return largestBytes;
    }

    private void tick() {
        long nowNanos = System.nanoTime();
        long largest = 0;
        for (StompConnection connection : new ArrayList<>(connections)) {
            connection.onTick(nowNanos);
            largest = Math.max(largest, connection.heldBytes());
        }
        largestBytes = largest;
    }

    void closeAll(@Nullable String reason) {
        for (StompConnection connection : new ArrayList<>(connections)) {
            connection.fail(new FrameException(StompFault.CLOSING, reason == null ? "the server closes" : reason), null);
        }
    }

    int size() {
        return connections.size();
    }
}
