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
 * @param memoryBytes memory for all clients together
 */
record MediatorSettings(
        Grid grid, Clients clients, String node, Supplier<String> whyLeft, Duration lease, long queueBytes, int historyMax, long memoryBytes) {

    /** Parts of the memory: a half for what is sent, a quarter for what comes, and a quarter for what is kept. */
    private static final int PARTS = 4;

    /** Returns the memory for measurements and answers that wait for clients. */
    long sendingBytes() {
        return 2 * memoryBytes / PARTS;
    }

    /** Returns the memory for requests and messages whose ends have not come. */
    long receivingBytes() {
        return memoryBytes / PARTS;
    }

    /** Returns the memory for entries and measurements that are kept. */
    long keptBytes() {
        return memoryBytes / PARTS;
    }

    /** Longest time that a question may take. */
    static final Duration DEADLINE_MAX = Duration.ofMinutes(1);
}
