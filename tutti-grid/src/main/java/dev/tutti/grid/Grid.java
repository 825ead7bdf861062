package dev.tutti.grid;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * The monitoring of a cluster, or of clusters on several sites: a registry of producers and consumers, and the flow of
 * measurements between them.
 *
 * <p>A process with a node is a member of the grid ({@link dev.tutti.grid.member.GridMember}) and gets measurements directly
 * from their producers. Others connect to a mediator.
 *
 * <p>All methods may be called from any thread. Those that take a deadline wait, and must not be called by listeners.
 */
public interface Grid extends AutoCloseable {

    /** Returns the name of the own site; empty where there is one only. */
    String site();

    /**
     * Registers a producer.
     *
     * @throws IllegalStateException if the grid is closed, or has as many producers as are possible
     */
    Producer produce(ProducerOptions options);

    /**
     * Registers a consumer. Its listener gets matching measurements that are published after all members know of it,
     * those of each producer in order.
     *
     * @throws IllegalArgumentException if a selector is wrong
     * @throws IllegalStateException if the grid is closed, or has as many consumers as are possible
     */
    Subscription subscribe(SubscriptionOptions options, MeasurementListener listener);

    /**
     * Returns entries of the registry, of all sites, sorted by site, name and identity. Producers and consumers that were opened or closed
     * with this grid before are in the answer as they are now, unless the store takes longer than a second to write them; those of others
     * may be a moment older.
     *
     * @throws IllegalStateException if the grid is closed
     */
    Answer<Entry> find(Query query);

    /** Returns for each producer and topic the last measurement that the filter chooses, as far as producers still have it. */
    Answer<Measurement> latest(Filter filter, Duration deadline);

    /**
     * Returns measurements that the filter chooses and producers still have, see {@link ProducerOptions#history}, sorted by
     * time.
     *
     * @param from inclusive
     * @param to exclusive
     */
    Answer<Measurement> history(Filter filter, Instant from, Instant to, Duration deadline);

    /** Returns numbers for monitoring, by name. */
    Map<String, Long> status();

    /**
     * Withdraws all producers and consumers that were registered here. Waits some seconds until what was published has been sent, and for
     * listeners that are being called, unless a listener calls it. Idempotent.
     */
    @Override
    void close();
}
