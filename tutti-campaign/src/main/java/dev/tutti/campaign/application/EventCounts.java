package dev.tutti.campaign.application;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** Number of times that each event has really happened in a run. */
final class EventCounts {

    private final TreeMap<String, Long> counts = new TreeMap<>();

    void count(String name) {
        counts.merge("application." + name, 1L, Long::sum);
    }

    Map<String, Long> counts() {
        return Collections.unmodifiableMap(counts);
    }
}
