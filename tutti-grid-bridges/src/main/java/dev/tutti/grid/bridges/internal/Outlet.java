package dev.tutti.grid.bridges.internal;

import dev.tutti.grid.Body;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Topic;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Producer of a bridge. A measurement that can't be published is counted, and the first one is in the log. Thread-safe. */
public final class Outlet implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Outlet.class);

    /** Tag that says of a count or a histogram what it counts from. */
    public static final String TEMPORALITY = "temporality";
    /** Since the series began. */
    public static final String CUMULATIVE = "cumulative";
    /** Since the measurement before. */
    public static final String DELTA = "delta";
    /** Tag of a sum that says whether it only grows. */
    public static final String MONOTONIC = "monotonic";

    private final Producer producer;
    private final String prefix;
    private final LongAdder published = new LongAdder();
    private final LongAdder unpublished = new LongAdder();
    private final AtomicBoolean isTold = new AtomicBoolean();

    /** @param prefix prefix of all topics, which the producer's options have as a pattern */
    public Outlet(Grid grid, ProducerOptions options, String prefix) {
        this.prefix = Topics.checkPrefix(prefix);
        this.producer = grid.produce(options);
    }

    /**
     * Publishes a measurement.
     *
     * @param name the rest of the topic, as in {@link Topics#of}
     * @return false if it could not be published
     */
    public boolean publish(String name, Map<String, String> tags, Instant time, Body body) {
        try {
            Topic topic = Topics.of(prefix, name);
            producer.publish(topic, tags, time, body);
            published.increment();
            return true;
        } catch (IllegalArgumentException | IllegalStateException e) {
            unpublished.increment();
            if (!isTold.getAndSet(true)) {
                LOG.warn("{} can't be published below {}; further ones are only counted: {}", printable(name), prefix, e.getMessage());
            }
            return false;
        }
    }

    /** Returns tags without those that a measurement has no room for: {@code more} come on top. */
    public static Map<String, String> atMost(Map<String, String> tags, int more) {
        if (tags.size() + more <= Measurement.TAGS_MAX) {
            return tags;
        }
        Map<String, String> first = new TreeMap<>();
        tags.entrySet().stream().limit(Measurement.TAGS_MAX - more).forEach(each -> first.put(each.getKey(), each.getValue()));
        return first;
    }

    private static String printable(String name) {
        return name.substring(0, Math.min(name.length(), Topic.LENGTH_MAX)).replaceAll("\\p{Cntrl}", "?");
    }

    public long published() {
        return published.sum();
    }

    public long unpublished() {
        return unpublished.sum();
    }

    public Producer producer() {
        return producer;
    }

    @Override
    public void close() {
        producer.close();
    }
}
