package dev.tutti.internal.delivery;

import dev.tutti.core.Packet;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Packets of a group from their arrival until the application has consumed them and the loop takes them back, which opens
 * the windows of their senders.
 */
final class Consumption {

    private final long reportBytes;
    private final Runnable onConsumed;
    private final Queue<Packet> consumed = new ConcurrentLinkedQueue<>();

    /** Packets that have arrived and keep windows of their senders closed. */
    private final LongAdder unconsumed = new LongAdder();

    /** Those among them whose messages other threads deliver, in scopes and out of band. */
    private final AtomicLong aside = new AtomicLong();

    private final LongAdder discarded = new LongAdder();

    /** Accessed by the delivery thread only. */
    private long unreportedBytes;

    /**
     * @param reportBytes consumed bytes after which the loop is told while the delivery thread goes on
     * @param onConsumed tells the loop that there are consumed packets; from any thread
     */
    Consumption(long reportBytes, Runnable onConsumed) {
        this.reportBytes = reportBytes;
        this.onConsumed = onConsumed;
    }

    void onArrived() {
        unconsumed.increment();
    }

    /** Notes that other threads are going to deliver messages of an arrived packet. */
    void startAside() {
        aside.incrementAndGet();
    }

    /** Notes that they are not, after all. */
    void cancelAside() {
        aside.decrementAndGet();
    }

    // ------------------------------------------------------------------ on the delivery thread

    void consume(Packet packet) {
        unconsumed.decrement();
        consumed.add(packet);
        count(packet);
    }

    /** Consumes a packet without delivering it, because the group is being left. */
    void discard(Packet packet) {
        discarded.increment();
        consume(packet);
    }

    /** Counts a packet that this thread is done with. */
    void count(Packet packet) {
        unreportedBytes += packet.length();
        if (unreportedBytes >= reportBytes) {
            report();
        }
    }

    /** Tells the loop of consumed packets, if there are any. */
    void report() {
        unreportedBytes = 0;
        if (!consumed.isEmpty()) {
            onConsumed.run();
        }
    }

    // ------------------------------------------------------------------ from any thread

    /** Consumes a packet that the delivery thread did not deliver. */
    void consumeNow(Packet packet) {
        unconsumed.decrement();
        consumed.add(packet);
        onConsumed.run();
    }

    /** Consumes a packet that the delivery thread will not deliver, because the group is left. */
    void discardNow(Packet packet) {
        discarded.increment();
        consumeNow(packet);
    }

    /** Consumes a packet that other threads have delivered. */
    void consumeAside(Packet packet) {
        consumeNow(packet);
        // Afterwards: a thread that sees the count at zero finds the packets consumed.
        aside.decrementAndGet();
    }

    /** Takes a consumed packet; null if there is none. On the loop. */
    @Nullable Packet take() {
        return consumed.poll();
    }

    long unconsumed() {
        return unconsumed.sum();
    }

    boolean isAside() {
        return aside.get() > 0;
    }

    long discarded() {
        return discarded.sum();
    }
}
