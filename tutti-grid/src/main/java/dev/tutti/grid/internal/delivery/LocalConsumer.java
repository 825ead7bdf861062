package dev.tutti.grid.internal.delivery;

import dev.tutti.Threads;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.Subscription;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.WhenFull;
import dev.tutti.grid.internal.memory.Sizes;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A consumer in this process: a queue of measurements, and a thread that tells its listener while there are some. */
public final class LocalConsumer implements Recipient, Subscription {

    private static final Logger LOG = LoggerFactory.getLogger(LocalConsumer.class);

    /** Bound on the threads of listeners: they must not wait for each other. */
    private static final ScopedValue<Boolean> TELLING = ScopedValue.newInstance();

    /** Most producers whose dropped measurements are counted apart; those of further ones are counted together. */
    private static final int DROPPED_MAX = 1_000;

    /** Calls listeners, and does with their exceptions what is right here. */
    public interface Caller {

        /** @param callback name of the method, for people */
        <T extends Object> void call(String callback, Consumer<? super T> method, T argument);
    }

    private record Waiting(@Nullable Measurement measurement, @Nullable Gap gap, long bytes) {}

    private final Threads threads;
    private final Caller callbacks;
    private final Entry entry;
    private final SubscriptionOptions options;
    private final MeasurementListener listener;
    private final @Nullable LastNumbers numbers;
    private final ConsumerCounters counters;
    private final Consumer<LocalConsumer> onClose;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle;

    // Guarded by the lock.
    private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
    private final TreeMap<String, Long> dropped = new TreeMap<>();
    private long waitingBytes;
    private boolean isPumping;
    private boolean isClosed;

    /**
     * @param numbers tell measurements that come again, which a client sends again to its next mediator, or late; null if the listener gets them too
     * @param counters of all consumers of the grid
     * @param onClose withdraws it
     */
    public LocalConsumer(
            Threads threads,
            Caller callbacks,
            Entry entry,
            SubscriptionOptions options,
            MeasurementListener listener,
            @Nullable LastNumbers numbers,
            ConsumerCounters counters,
            Consumer<LocalConsumer> onClose) {
        this.threads = threads;
        this.callbacks = callbacks;
        this.entry = entry;
        this.options = options;
        this.listener = listener;
        this.numbers = numbers;
        this.counters = counters;
        this.onClose = onClose;
        this.idle = threads.condition(lock);
    }

    @Override
    public void offer(Measurement measurement) {
        lock.lock();
        try {
            switch (numbers == null ? LastNumbers.Arrival.NEW : numbers.arrive(measurement)) {
                case NEW -> add(new Waiting(measurement, null, Sizes.of(measurement)));
                case REPEATED -> counters.repeated.increment();
                case LATE -> {
                    counters.late.increment();
                    offer(new Gap(measurement.producer(), 1, "a measurement came behind newer ones, by another way"));
                }
                case UNKNOWN -> {
                    counters.late.increment();
                    offer(new Gap(measurement.producer(), 0, "measurements came again by another way, and some may be missing between those from before"));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void offer(Gap gap) {
        add(new Waiting(null, gap, Sizes.OVERHEAD));
    }

    private void add(Waiting each) {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            if (options.whenFull() == WhenFull.DROP_NEWEST && waitingBytes + each.bytes > options.queueBytes()) {
                drop(each);
                return;
            }
            if (options.whenFull() == WhenFull.DROP_NEWEST) {
                tellDropped();
            }
            queue.add(each);
            waitingBytes += each.bytes;
            while (waitingBytes > options.queueBytes()) {
                Waiting oldest = queue.remove();
                waitingBytes -= oldest.bytes;
                drop(oldest);
            }
            if (!isPumping) {
                isPumping = true;
                threads.start("tutti-grid-" + entry.name(), () -> ScopedValue.where(TELLING, true).run(this::pump));
            }
        } finally {
            lock.unlock();
        }
    }

    private void drop(Waiting each) {
        if (each.measurement != null) {
            drop(each.measurement.producer(), 1);
            counters.undelivered.increment();
        } else if (each.gap != null) {
            drop(each.gap.producer(), each.gap.count());
        }
    }

    private void drop(String producer, long count) {
        boolean isOneOfMany = dropped.size() >= DROPPED_MAX && !dropped.containsKey(producer);
        dropped.merge(isOneOfMany ? "" : producer, count, Long::sum);
    }

    /** Puts the gaps behind all that waits: they are of newer measurements. */
    private void tellDropped() {
        dropped.forEach((producer, count) -> queue.add(new Waiting(null, gap(producer, count), 0)));
        dropped.clear();
    }

    private Gap gap(String producer, long count) {
        return new Gap(producer, count, "more than " + options.queueBytes() + " bytes would have waited for consumer " + options.name());
    }

    private void pump() {
        for (Waiting next = next(); next != null; next = next()) {
            if (next.gap != null) {
                callbacks.call("onGap", listener::onGap, next.gap);
            } else if (next.measurement != null) {
                callbacks.call("onMeasurement", listener::onMeasurement, next.measurement);
            }
        }
    }

    private @Nullable Waiting next() {
        lock.lock();
        try {
            if (!dropped.isEmpty() && (options.whenFull() == WhenFull.DROP_OLDEST || queue.isEmpty())) {
                Map.Entry<String, Long> first = dropped.pollFirstEntry();
                return new Waiting(null, gap(first.getKey(), first.getValue()), 0);
            }
            Waiting next = isClosed ? null : queue.poll();
            if (next == null) {
                isPumping = false;
                idle.signalAll();
                return null;
            }
            waitingBytes -= next.bytes;
            if (next.measurement != null) {
                counters.delivered.increment();
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Entry entry() {
        return entry;
    }

    @Override
    public long waitingBytes() {
        lock.lock();
        try {
            return waitingBytes;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        end();
        if (TELLING.isBound()) {
            // Another listener may be about to close this one's consumer.
            return;
        }
        lock.lock();
        try {
            while (isPumping) {
                idle.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void end() {
        onClose.accept(this);
        lock.lock();
        try {
            isClosed = true;
            counters.undelivered.add(queue.stream().filter(each -> each.measurement != null).count());
            queue.clear();
            dropped.clear();
            waitingBytes = 0;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long awaitIdle(long nanos) {
        long left = TELLING.isBound() ? 0 : nanos;
        lock.lock();
        try {
            while (isPumping && left > 0) {
                left = idle.awaitNanos(left);
            }
            if (isPumping && !TELLING.isBound()) {
                LOG.warn("Grid: the listener of consumer {} has not returned, and is left behind", entry.name());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            left = 0;
        } finally {
            lock.unlock();
        }
        return left;
    }

    @Override
    public String toString() {
        return "consumer " + entry.name();
    }
}
