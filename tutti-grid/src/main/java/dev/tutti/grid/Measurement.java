package dev.tutti.grid;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
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

    /** Most characters of a tag's name, and of its value. */
    public static final int TAG_MAX = 1_024;

    /** Earliest and latest time: microseconds since 1970 in 64 bits. */
    private static final Instant TIME_MIN = Instant.EPOCH.plus(Long.MIN_VALUE, ChronoUnit.MICROS);

    private static final Instant TIME_MAX = Instant.EPOCH.plus(Long.MAX_VALUE, ChronoUnit.MICROS);

    public Measurement {
        if (time.isBefore(TIME_MIN) || time.isAfter(TIME_MAX)) {
            throw new IllegalArgumentException("the time of a measurement is from " + TIME_MIN + " to " + TIME_MAX + ", not " + time);
        }
        Texts.check("a producer's identity", producer, Entry.NAME_MAX);
        if (tags.size() > TAGS_MAX) {
            throw new IllegalArgumentException("a measurement has at most " + TAGS_MAX + " tags, not " + tags.size());
        }
        Texts.check("tag", tags, TAG_MAX, TAG_MAX);
        if (!tags.isEmpty()) {
            tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        }
    }
}
