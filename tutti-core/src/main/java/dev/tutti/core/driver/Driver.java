package dev.tutti.core.driver;

import dev.tutti.core.Memory;
import dev.tutti.core.metrics.Metric;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What runs one node: a loop, an address where others reach it, time and memory. A {@link StreamDriver} or a
 * {@link DatagramDriver}.
 */
public sealed interface Driver extends AutoCloseable permits StreamDriver, DatagramDriver {

    /** A turn of the loop. */
    @FunctionalInterface
    interface Task {
        void run(long nowNanos);
    }

    /** Work of the application that is done on the loop's thread, between turns. It may block. */
    @FunctionalInterface
    interface Guest {
        void run(Stay stay);
    }

    /** What a {@link Guest} asks between pieces of its work. */
    interface Stay {

        /** Whether there is time for another piece. */
        boolean mayGoOn();

        /** Whether the loop has gone on without the thread that the guest is on, because it was kept for too long. */
        boolean hasLostLoop();
    }

    /** Blocks for packets; acquiring is thread-safe. */
    Memory memory();

    /** Where other nodes dial this one, {@code host:port}, with the port that was really bound. */
    String address();

    /** The name that this node's credentials give it; empty if they leave it open. */
    default String name() {
        return "";
    }

    /** What was chosen, for people and for {@code tutti view}: {@code io} to {@code epoll}, {@code tls} to … */
    Map<String, String> description();

    /** What was counted so far, by name, for people and for {@code tutti view}. From any thread. */
    default Map<String, Long> counters() {
        return Map.of();
    }

    /** What {@link #counters} counts. */
    default List<Metric> metrics() {
        return List.of();
    }

    /** The connections that are open. On the loop only. */
    default List<Socket> sockets() {
        return List.of();
    }

    /**
     * Runs {@code task} on the loop as (part of) a turn, after what was given before. From any thread.
     *
     * @throws java.util.concurrent.RejectedExecutionException after {@link #close}
     */
    void execute(Task task);

    /**
     * Runs {@code guest} when what this turn has led to was handed out, on the loop's thread: where data is that has just
     * arrived, and without a wake-up. On the loop only.
     *
     * @return false if this driver can't: it has no second thread to go on with when a guest blocks the first
     */
    default boolean invite(Guest guest) {
        return false;
    }

    /** Where this node keeps what must outlast its process. */
    default Records records() {
        return Records.none();
    }

    /**
     * Calls {@code listener} once if the loop ends because of an internal error: of the machine, or of the driver itself. Nothing
     * is run or delivered afterwards. On the loop's thread; to be set before the machine is started.
     */
    default void onFailure(Consumer<Throwable> listener) {}

    /** Ends all connections after what was written to them, and the loop. Blocks for two seconds at most. Idempotent. */
    @Override
    void close();
}
