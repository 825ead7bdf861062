package dev.tutti.grid;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Options of a consumer.
 *
 * @param name name for people
 * @param filters filters; a measurement that at least one of them chooses is told once
 * @param attributes further names and values for the registry
 * @param queueBytes most bytes of measurements that wait for the listener, {@link #QUEUE_MIN} to {@link #QUEUE_MAX}
 * @param whenFull measurements that are dropped when these bytes wait
 */
public record SubscriptionOptions(
        String name, List<Filter> filters, Map<String, String> attributes, long queueBytes, WhenFull whenFull) {

    /** Fewest bytes of a queue: the largest measurement fits. */
    public static final long QUEUE_MIN = 8L << 20;

    /** Most bytes of a queue. */
    public static final long QUEUE_MAX = 4L << 30;

    public SubscriptionOptions {
        ProducerOptions.checkName(name);
        filters = List.copyOf(filters);
        if (filters.isEmpty() || filters.size() > Entry.FILTERS_MAX) {
            throw new IllegalArgumentException(
                    "consumer " + name + " has " + filters.size() + " filters, and 1 to " + Entry.FILTERS_MAX + " are possible");
        }
        attributes = Collections.unmodifiableSortedMap(new TreeMap<>(attributes));
        if (queueBytes < QUEUE_MIN || queueBytes > QUEUE_MAX) {
            throw new IllegalArgumentException("the queue of consumer " + name + " has " + QUEUE_MIN + " to " + QUEUE_MAX + " bytes, not " + queueBytes);
        }
    }

    /** Returns options with defaults: a queue of 16 MiB that drops the oldest measurement. */
    public static SubscriptionOptions of(String name, Filter... filters) {
        return new SubscriptionOptions(name, List.of(filters), Map.of(), 16L << 20, WhenFull.DROP_OLDEST);
    }

    /** Returns these options with one more attribute. */
    public SubscriptionOptions with(String attribute, String value) {
        Map<String, String> all = new TreeMap<>(attributes);
        all.put(attribute, value);
        return new SubscriptionOptions(name, filters, all, queueBytes, whenFull);
    }

    /** Returns these options with other attributes. */
    public SubscriptionOptions attributes(Map<String, String> others) {
        return new SubscriptionOptions(name, filters, others, queueBytes, whenFull);
    }

    /** Returns these options with another queue. */
    public SubscriptionOptions queue(long bytes, WhenFull policy) {
        return new SubscriptionOptions(name, filters, attributes, bytes, policy);
    }
}
