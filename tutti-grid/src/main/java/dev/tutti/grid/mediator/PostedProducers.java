package dev.tutti.grid.mediator;

import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.member.ClientProducer;
import dev.tutti.grid.member.Clients.Registration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Producers of measurements that are posted over HTTP: one for each name and topic. One for which nothing is posted during the lease
 * is withdrawn, and so is the one that has waited for longest when there are too many. Thread-safe.
 */
final class PostedProducers {

    /** Most of them. */
    private static final int PRODUCERS_MAX = 10_000;

    private record Key(String name, String topic) {}

    private static final class Known {

        private final ClientProducer producer;
        private long sequence;
        private long postedNanos;

        Known(ClientProducer producer) {
            this.producer = producer;
        }
    }

    private final MediatorSettings settings;
    private final MediatorCounters counters;
    private final String identity = "http-" + UUID.randomUUID();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    /** The one that has waited for longest first. */
    private final LinkedHashMap<Key, Known> byKey = new LinkedHashMap<>();

    private long number;
    private boolean isClosed;

    PostedProducers(MediatorSettings settings, MediatorCounters counters) {
        this.settings = settings;
        this.counters = counters;
    }

    /**
     * Publishes measurements.
     *
     * @throws IllegalArgumentException if one is too large, or its producer has no valid name; those before it are published
     * @throws IllegalStateException if no more producers are possible
     */
    void publish(List<JsonForms.Posted> all) {
        lock.lock();
        try {
            if (isClosed) {
                throw new IllegalStateException("the mediator is closing");
            }
            all.forEach(this::publish);
        } finally {
            lock.unlock();
        }
    }

    private void publish(JsonForms.Posted posted) {
        Key key = new Key(posted.producer(), posted.topic().path());
        Known known = byKey.remove(key);
        if (known == null) {
            known = new Known(register(key));
        }
        byKey.putLast(key, known);
        known.postedNanos = System.nanoTime();
        Instant time = (posted.time() == null ? Instant.now() : posted.time()).truncatedTo(ChronoUnit.MICROS);
        known.producer.publish(new Measurement(
                known.producer.entry().id(), known.sequence + 1, posted.topic(), posted.tags(), time, ClockQuality.UNKNOWN, posted.body()));
        known.sequence++;
        counters.published.increment();
    }

    private ClientProducer register(Key key) {
        while (byKey.size() >= PRODUCERS_MAX) {
            byKey.pollFirstEntry().getValue().producer.close();
        }
        number++;
        return settings.clients().produce(
                new Registration(identity + "-" + number, 1, settings.lease()),
                ProducerOptions.of(key.name, key.topic).history(settings.historyMax()));
    }

    /** Withdraws those whose lease has ended. */
    void onTime(long nowNanos) {
        lock.lock();
        try {
            while (true) {
                Map.Entry<Key, Known> oldest = byKey.firstEntry();
                if (oldest == null || nowNanos - oldest.getValue().postedNanos < settings.lease().toNanos()) {
                    return;
                }
                byKey.remove(oldest.getKey());
                oldest.getValue().producer.close();
            }
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            isClosed = true;
            byKey.values().forEach(known -> known.producer.close());
            byKey.clear();
        } finally {
            lock.unlock();
        }
    }
}
