package dev.tutti.grid.mediator;

import dev.tutti.grid.Grid;
import dev.tutti.grid.member.Clients;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Parts of a mediator that its connections share.
 *
 * @param node name of the node that it is at
 * @param whyLeft returns the reason for which the grid was left; empty while it has not been
 * @param queueBytes most bytes of measurements that wait for a client
 * @param historyMax most measurements that it keeps for a producer
 */
record MediatorSettings(
        Grid grid, Clients clients, String node, Supplier<String> whyLeft, Duration lease, long queueBytes, int historyMax) {

    /** Longest time that a question may take. */
    static final Duration DEADLINE_MAX = Duration.ofMinutes(1);
}
