package dev.tutti.internal.delivery;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Items that wait for a group's delivery thread. Any thread adds items; one at a time takes them.
 *
 * <p>It needs no bound of its own: its packets fill the senders' windows, and they stop.
 */
final class DeliveryQueue {

    private static final Item GATE_CHANGE = new Item.GateChange();

    private final Queue<Item> items = new ConcurrentLinkedQueue<>();

    /** A change of the gate goes before all items, and several are the same as one. */
    private final AtomicBoolean hasGateChanged = new AtomicBoolean();

    private volatile boolean isStalled;

    void add(Item item) {
        items.add(item);
    }

    void addGateChange() {
        hasGateChanged.set(true);
    }

    /** Returns whether {@link #next} has an item. */
    boolean isReady() {
        return hasGateChanged.get() || !isStalled && !items.isEmpty();
    }

    /** Takes the next item; null if there is none. */
    @Nullable Item next() {
        if (hasGateChanged.compareAndSet(true, false)) {
            return GATE_CHANGE;
        }
        return isStalled ? null : items.poll();
    }

    /** Takes the next item in any case; null if there is none. */
    @Nullable Item poll() {
        return items.poll();
    }

    /** Stops the queue, except for changes of the gate, because the item taken last has no room. */
    void stall() {
        isStalled = true;
    }

    void resume() {
        isStalled = false;
    }

    boolean isStalled() {
        return isStalled;
    }

    int size() {
        return items.size();
    }
}
