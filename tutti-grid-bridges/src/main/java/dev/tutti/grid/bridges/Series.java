package dev.tutti.grid.bridges;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Name of a series of numbers in another system.
 *
 * @param name levels, separated by slashes; each bridge writes them as is usual in its system
 * @param labels names and values
 */
public record Series(String name, Map<String, String> labels) {

    public Series {
        labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    }

    /** Returns the series for a part of the same measurement, with one more level. */
    public Series part(String level) {
        return new Series(name + "/" + level, labels);
    }

    /** Returns this series with one more label. */
    public Series with(String label, String value) {
        Map<String, String> all = new TreeMap<>(labels);
        all.put(label, value);
        return new Series(name, all);
    }
}
