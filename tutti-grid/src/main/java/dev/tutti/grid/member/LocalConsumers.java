package dev.tutti.grid.member;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import dev.tutti.grid.internal.delivery.ConsumerCounters;
import dev.tutti.grid.internal.delivery.Recipient;
import dev.tutti.grid.match.FilterIndex;
import dev.tutti.grid.match.Patterns;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The consumers at this member, and the index of their filters. */
final class LocalConsumers {

    private final FilterIndex<Recipient> index = new FilterIndex<>();
    private final ConsumerCounters counters = new ConsumerCounters();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final TreeMap<String, Recipient> byId = new TreeMap<>();

    void add(Recipient consumer) {
        lock.lock();
        try {
            consumer.entry().filters().stream().distinct().forEach(filter -> index.add(filter, consumer));
            // A client may register again before its connection from before is known to have ended.
            Recipient before = byId.put(consumer.entry().id(), consumer);
            if (before != null) {
                forget(before);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether it was there. */
    boolean remove(Recipient consumer) {
        lock.lock();
        try {
            if (!byId.remove(consumer.entry().id(), consumer)) {
                return false;
            }
            forget(consumer);
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void forget(Recipient consumer) {
        consumer.entry().filters().stream().distinct().forEach(filter -> index.remove(filter, consumer));
    }

    List<Recipient> all() {
        lock.lock();
        try {
            return List.copyOf(byId.values());
        } finally {
            lock.unlock();
        }
    }

    int count() {
        lock.lock();
        try {
            return byId.size();
        } finally {
            lock.unlock();
        }
    }

    /** Returns numbers for monitoring. */
    Map<String, Long> numbers() {
        TreeMap<String, Long> numbers = new TreeMap<>(counters.all());
        numbers.put("consumers", (long) count());
        numbers.put("waiting-bytes", all().stream().mapToLong(Recipient::waitingBytes).sum());
        return numbers;
    }

    /** Returns what its consumers count. */
    ConsumerCounters counters() {
        return counters;
    }

    List<Filter> filters() {
        LinkedHashSet<Filter> filters = new LinkedHashSet<>();
        all().forEach(consumer -> filters.addAll(consumer.entry().filters()));
        return List.copyOf(filters);
    }

    void offer(Measurement measurement) {
        index.match(measurement, consumer -> consumer.offer(measurement));
    }

    boolean isWanted(Topic topic) {
        return index.isWanted(topic);
    }

    /** Tells consumers that may have wanted what is missing. */
    void offer(Gap gap, @Nullable Entry producer) {
        for (Recipient consumer : all()) {
            if (producer == null || haveTopicInCommon(producer, consumer.entry())) {
                consumer.offer(gap);
            }
        }
    }

    private static boolean haveTopicInCommon(Entry one, Entry other) {
        return one.filters().stream()
                .anyMatch(mine -> other.filters().stream().anyMatch(its -> Patterns.overlap(mine.topic(), its.topic())));
    }
}
