package dev.tutti.grid.member;

import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.match.Patterns;
import dev.tutti.grid.match.Selector;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/** The producers at this member, and queries for their measurements. */
final class LocalProducers {

    /** Most measurements of an answer. */
    private static final int VALUES_MAX = 100_000;

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final TreeMap<String, LocalProducer> byId = new TreeMap<>();

    void add(String id, LocalProducer producer) {
        lock.lock();
        try {
            byId.put(id, producer);
        } finally {
            lock.unlock();
        }
    }

    void remove(String id, LocalProducer producer) {
        lock.lock();
        try {
            byId.remove(id, producer);
        } finally {
            lock.unlock();
        }
    }

    List<LocalProducer> all() {
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

    /** Returns whether there may be measurements with a pattern of topics. */
    boolean isAskedBy(String pattern) {
        Filter filter = Filter.topic(pattern);
        return all().stream().anyMatch(producer -> producer.isAskedBy(filter));
    }

    /** Returns the measurements that a request is for. */
    List<Measurement> values(Request.Values request) {
        Filter filter = request.filter();
        Selector selector = Selector.parse(filter.where());
        Predicate<Measurement> isWanted = each -> isWithin(each, request)
                && Patterns.matches(filter.topic(), each.topic())
                && each.tags().entrySet().containsAll(filter.tags().entrySet())
                && selector.matches(each);
        List<Measurement> found = new ArrayList<>();
        for (LocalProducer producer : all()) {
            if (producer.isAskedBy(filter)) {
                int most = VALUES_MAX - found.size();
                found.addAll(request.isLatest() ? producer.latest(isWanted, most) : producer.history(isWanted, most));
            }
        }
        return found;
    }

    private static boolean isWithin(Measurement each, Request.Values request) {
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, each.time());
        return micros >= request.fromMicros() && micros < request.toMicros();
    }
}
