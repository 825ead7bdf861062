package dev.tutti.campaign.nodes;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** Number of times that each event has really happened in a run. */
public final class EventCounts {

    private final String prefix;
    private final TreeMap<String, Long> counts = new TreeMap<>();

    /** @param mode the mode whose events these are; their names begin with it */
    public EventCounts(String mode) {
        this.prefix = mode + ".";
    }

    public void count(String name) {
        add(name, 1);
    }

    public void add(String name, long count) {
        counts.merge(prefix + name, count, Long::sum);
    }

    public Map<String, Long> counts() {
        return Collections.unmodifiableMap(counts);
    }
}
