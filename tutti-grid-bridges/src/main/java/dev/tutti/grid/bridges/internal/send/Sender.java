package dev.tutti.grid.bridges.internal.send;

import dev.tutti.grid.Gap;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.Subscription;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.bridges.SendOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A consumer whose measurements are sent in batches. While a batch is sent, and sent again, the listener waits: measurements wait in the
 * queue of the subscription, which has its bound and tells what it has dropped.
 */
public final class Sender implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Sender.class);

    private final Form form;
    private final SendOptions options;
    private final Delivery delivery;
    private final ScheduledExecutorService clock;
    private final Subscription subscription;
    private final LongAdder sent = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final LongAdder missing = new LongAdder();
    private final LongAdder omitted = new LongAdder();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private List<Measurement> batch = new ArrayList<>();
    private int points;
    private boolean isFailing;

    public Sender(Grid grid, SubscriptionOptions consumer, SendOptions options, Form form) {
        this.form = form;
        this.options = options;
        this.delivery = new Delivery(options, form);
        this.subscription = grid.subscribe(consumer, new MeasurementListener() {
            @Override
            public void onMeasurement(Measurement measurement) {
                add(measurement);
            }

            @Override
            public void onGap(Gap gap) {
                missing.add(Math.max(1, gap.count()));
            }
        });
        this.clock = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("tutti-grid-" + consumer.name()).factory());
        long nanos = options.interval().toNanos();
        clock.scheduleWithFixedDelay(this::flush, nanos, nanos, TimeUnit.NANOSECONDS);
    }

    private void add(Measurement measurement) {
        int more = form.points(measurement);
        if (more == 0) {
            omitted.increment();
            return;
        }
        lock.lock();
        try {
            if (points > 0 && points + more > options.points()) {
                send();
            }
            batch.add(measurement);
            points += more;
            if (points >= options.points()) {
                send();
            }
        } finally {
            lock.unlock();
        }
    }

    private void flush() {
        lock.lock();
        try {
            if (points > 0) {
                send();
            }
        } catch (RuntimeException e) {
            // The next one is tried all the same.
            LOG.warn("a request to {} has failed: {}", options.url(), e.toString());
        } finally {
            lock.unlock();
        }
    }

    /** Sends the batch, or drops it in the end. */
    private void send() {
        List<Measurement> full = batch;
        int count = points;
        batch = new ArrayList<>();
        points = 0;
        Form.Encoded request;
        Delivery.Outcome outcome;
        try {
            request = form.encode(full);
            outcome = delivery.deliver(request.body());
        } catch (RuntimeException e) {
            dropped.add(count);
            throw e;
        }
        long whole = count - request.left();
        rejected.add(request.left());
        if (outcome.isTaken()) {
            long refused = Math.clamp(outcome.rejected(), 0, whole);
            rejected.add(refused);
            sent.add(whole - refused);
        } else {
            dropped.add(whole);
        }
        tell(outcome, whole);
    }

    private void tell(Delivery.Outcome outcome, long count) {
        if (!outcome.isTaken() && !isFailing) {
            LOG.warn("{} has not taken {} points, which are dropped: {}", options.url(), count, outcome.reason());
        } else if (outcome.isTaken() && isFailing) {
            LOG.info("{} takes measurements again", options.url());
        }
        isFailing = !outcome.isTaken();
    }

    /** Returns the present numbers. */
    public Map<String, Long> status() {
        return new TreeMap<>(Map.of(
                "sent", sent.sum(),
                "rejected", rejected.sum(),
                "dropped", dropped.sum(),
                "missing", missing.sum(),
                "omitted", omitted.sum(),
                "retries", delivery.retries(),
                "waiting-bytes", subscription.waitingBytes()));
    }

    /** Withdraws the consumer, and sends what it has got, if the server takes it at once. Idempotent. */
    @Override
    public void close() {
        delivery.end();
        subscription.close();
        clock.shutdown();
        flush();
        try {
            clock.awaitTermination(Duration.ofSeconds(5).toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
