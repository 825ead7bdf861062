package dev.tutti.grid;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * A measurement, as a producer published it.
 *
 * @param producer {@linkplain Entry#id identity} of the producer
 * @param sequence number among the measurements of this producer, from 1, without gaps
 * @param tags names and values that consumers may choose by, at most {@link #TAGS_MAX}
 * @param time time at which it was measured, by the clock of the producer's host, with a resolution of microseconds
 */
public record Measurement(
        String producer, long sequence, Topic topic, Map<String, String> tags, Instant time, ClockQuality clock, Body body) {

    /** Most tags of a measurement. */
    public static final int TAGS_MAX = 64;

    public Measurement {
        if (tags.size() > TAGS_MAX) {
            throw new IllegalArgumentException("a measurement has at most " + TAGS_MAX + " tags, not " + tags.size());
        }
        if (!tags.isEmpty()) {
            tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        }
    }
}
