package dev.tutti.grid;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A query of the registry. An entry is found if it satisfies all parts.
 *
 * @param kind kind of entries; null for both
 * @param topic pattern of topics: entries are found whose filters and it have a topic in common
 * @param attributes attributes that entries have to have, with these values
 * @param sites sites that are asked; none for all
 * @param limit most entries that each site gives, 1 to {@link #LIMIT_MAX}
 * @param deadline time after which parts of the grid that have not answered are {@linkplain Answer#missing missing}
 */
public record Query(
        Entry.@Nullable Kind kind, String topic, Map<String, String> attributes, List<String> sites, int limit, Duration deadline) {

    /** Most entries that a site gives. */
    public static final int LIMIT_MAX = 100_000;

    /** Longest deadline. A longer one counts as this. */
    public static final Duration DEADLINE_MAX = Duration.ofHours(1);

    /** All entries of all sites, within five seconds. */
    public static final Query ALL = new Query(null, "#", Map.of(), List.of(), 10_000, Duration.ofSeconds(5));

    /** All producers of all sites, within five seconds. */
    public static final Query PRODUCERS = ALL.of(Entry.Kind.PRODUCER);

    /** All consumers of all sites, within five seconds. */
    public static final Query CONSUMERS = ALL.of(Entry.Kind.CONSUMER);

    public Query {
        Filter.topic(topic);
        attributes = Collections.unmodifiableSortedMap(new TreeMap<>(attributes));
        sites = List.copyOf(sites);
        if (limit < 1 || limit > LIMIT_MAX) {
            throw new IllegalArgumentException("the limit of a query is 1 to " + LIMIT_MAX + ", not " + limit);
        }
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException("the deadline of a query is in the future, not " + deadline);
        }
        deadline = bounded(deadline);
    }

    /** Returns a deadline, or the longest one if it is longer. */
    public static Duration bounded(Duration deadline) {
        return deadline.compareTo(DEADLINE_MAX) > 0 ? DEADLINE_MAX : deadline;
    }

    /** Returns this query for entries of one kind. */
    public Query of(Entry.Kind one) {
        return new Query(one, topic, attributes, sites, limit, deadline);
    }

    /** Returns this query for entries that have a topic in common with a pattern. */
    public Query on(String pattern) {
        return new Query(kind, pattern, attributes, sites, limit, deadline);
    }

    /** Returns this query for entries that also have an attribute. */
    public Query with(String name, String value) {
        Map<String, String> all = new TreeMap<>(attributes);
        all.put(name, value);
        return new Query(kind, topic, all, sites, limit, deadline);
    }

    /** Returns this query for certain sites. */
    public Query at(String... some) {
        return new Query(kind, topic, attributes, List.of(some), limit, deadline);
    }

    /** Returns this query with another limit. */
    public Query limit(int most) {
        return new Query(kind, topic, attributes, sites, most, deadline);
    }

    /** Returns this query with another deadline. */
    public Query within(Duration time) {
        return new Query(kind, topic, attributes, sites, limit, time);
    }
}
