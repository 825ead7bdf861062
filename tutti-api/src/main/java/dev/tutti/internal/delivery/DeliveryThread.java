package dev.tutti.internal.delivery;

import dev.tutti.core.driver.Driver;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Runs the delivery of a {@link DeliveryQueue}, one thread at a time: on the loop's thread at the end of a turn, or on a
 * virtual thread if listeners take longer; that thread lives while there is something to deliver.
 */
final class DeliveryThread {

    /** Time for which listeners that blocked the loop's thread run on their own thread. */
    private static final long BAN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private final Host host;
    private final DeliveryQueue queue;
    private final Fence guard;
    private final Consumer<Item> delivery;
    private final Callbacks callbacks;
    private final Consumption consumption;
    private final AtomicBoolean isRunning = new AtomicBoolean();
    private final Driver.LoopTask task = this::runInLoop;

    /** A visit on the loop's thread is due; accessed on the loop only. */
    private boolean isAwaited;

    /** End of the ban after a visit that kept the loop's thread for too long. */
    private volatile long bannedUntilNanos = System.nanoTime();

    /**
     * @param guard fence around delivery
     * @param delivery delivers an item
     */
    DeliveryThread(
            String name,
            Host host,
            DeliveryQueue queue,
            Fence guard,
            Consumer<Item> delivery,
            Callbacks callbacks,
            Consumption consumption) {
        this.name = name;
        this.host = host;
        this.queue = queue;
        this.guard = guard;
        this.delivery = delivery;
        this.callbacks = callbacks;
        this.consumption = consumption;
    }

    /** Has the queue delivered after the turn. On the loop. */
    void wakeAfterTurn() {
        if (isAwaited || isRunning.get()) {
            return;
        }
        if (System.nanoTime() - bannedUntilNanos >= 0 && host.driver().runInLoop(task)) {
            isAwaited = true;
        } else {
            wake();
        }
    }

    /** Has the queue delivered on a virtual thread. From any thread. */
    void wake() {
        if (isRunning.compareAndSet(false, true)) {
            host.start(name, this::run);
        }
    }

    /** Delivers an item that is not queued, on the current thread, for groups whose listeners are called in the turn. */
    void deliverNow(Item item) {
        callbacks.enter();
        guard.call("delivery", delivery, item);
        callbacks.endBatch();
        consumption.report();
    }

    private void runInLoop(Driver.LoopBudget budget) {
        isAwaited = false;
        if (!queue.isReady() || !isRunning.compareAndSet(false, true)) {
            return;
        }
        callbacks.enter();
        try {
            Item item = queue.next();
            while (item != null) {
                guard.call("delivery", delivery, item);
                item = budget.mayGoOn() ? queue.next() : null;
            }
        } finally {
            if (budget.hasLostLoop()) {
                bannedUntilNanos = System.nanoTime() + BAN_NANOS;
            }
            end();
        }
    }

    private void run() {
        callbacks.enter();
        try {
            Item item = queue.next();
            while (item != null) {
                guard.call("delivery", delivery, item);
                // Items may never end, and threads that wait for the end of the batch wait for this batch only.
                callbacks.endBatch();
                item = queue.next();
            }
        } finally {
            end();
        }
    }

    private void end() {
        callbacks.endBatch();
        consumption.report();
        isRunning.set(false);
        // Items left after a visit or an Error, and those added since the last look, have no thread yet.
        if (queue.isReady()) {
            wake();
        }
    }
}
