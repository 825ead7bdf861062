package dev.tutti.campaign.search;

import java.util.Map;
import java.util.TreeMap;

/** Counts, by name, of what has really happened in runs. Not thread-safe. */
final class Coverage {

    private final TreeMap<String, Long> counts = new TreeMap<>();

    void count(String name) {
        add(name, 1);
    }

    void add(String name, long count) {
        counts.merge(name, count, Long::sum);
    }

    void add(Coverage other) {
        other.counts.forEach(this::add);
    }

    long of(String name) {
        return counts.getOrDefault(name, 0L);
    }

    Map<String, Long> counts() {
        return counts;
    }
}
