package dev.tutti.grid;

import java.time.Instant;
import java.util.Map;

/** A registered producer of measurements. All methods may be called from any thread; none waits for consumers. */
public interface Producer extends AutoCloseable {

    /** Returns the entry of the registry, as it was announced last. */
    Entry entry();

    /** Publishes a measurement without tags, with the time of the call. */
    default void publish(String topic, Body body) {
        publish(Topic.of(topic), Map.of(), body);
    }

    /** Publishes a measurement with the time of the call. */
    default void publish(Topic topic, Map<String, String> tags, Body body) {
        publish(topic, tags, Instant.now(), body);
    }

    /**
     * Publishes a measurement. It goes to consumers whose filters choose it; nothing is sent if there are none.
     *
     * @throws IllegalArgumentException if the topic is not among those of the producer, or the measurement is too large
     * @throws IllegalStateException if the producer is closed
     */
    void publish(Topic topic, Map<String, String> tags, Instant time, Body body);

    /** Returns whether a consumer is known that may choose measurements with this topic, so that measuring is worth it. */
    boolean isWanted(Topic topic);

    /** Announces another load of the producer's host, from 0 to 1. Announcements are not more frequent than every second. */
    void load(double load);

    /** Withdraws the producer. Idempotent. */
    @Override
    void close();
}
