package dev.tutti.core.driver;

import dev.tutti.core.Memory;
import dev.tutti.core.metrics.Metric;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Runtime of one node: a loop, an address where others reach it, time and memory. A {@link StreamDriver} or a
 * {@link DatagramDriver}.
 */
public sealed interface Driver extends AutoCloseable permits StreamDriver, DatagramDriver {

    /** Turn of the loop. */
    @FunctionalInterface
    interface Task {
        void run(long nowNanos);
    }

    /** Work of the application that is done on the loop's thread, between turns. It may block. */
    @FunctionalInterface
    interface LoopTask {
        void run(LoopBudget budget);
    }

    /** State of the loop that a {@link LoopTask} queries between pieces of its work. */
    interface LoopBudget {

        /** Returns whether there is time for another piece. */
        boolean mayGoOn();

        /** Returns whether the loop has continued on another thread, because the task has kept its own too long. */
        boolean hasLostLoop();
    }

    /** Returns the memory for packets; acquiring is thread-safe. */
    Memory memory();

    /** Returns the address that other nodes dial, {@code host:port}, with the port that was actually bound. */
    String address();

    /**
     * Returns whether hosts of addresses are IP addresses, or names that the system's name service knows. Otherwise they are the
     * transport's own.
     */
    default boolean isOnIp() {
        return true;
    }

    /** Returns the name that this node's credentials give it; empty if they give none. */
    default String name() {
        return "";
    }

    /** Returns what was chosen, for people and {@code tutti view}: {@code io} to {@code epoll}, {@code tls} to … */
    Map<String, String> description();

    /** Returns the counters by name, for people and for {@code tutti view}. From any thread. */
    default Map<String, Long> counters() {
        return Map.of();
    }

    /** Returns the definitions of {@link #counters}. */
    default List<Metric> metrics() {
        return List.of();
    }

    /** Returns the open connections. On the loop only. */
    default List<Socket> sockets() {
        return List.of();
    }

    /**
     * Runs {@code task} on the loop as (part of) a turn, after earlier tasks. From any thread.
     *
     * @throws java.util.concurrent.RejectedExecutionException after {@link #close}
     */
    void execute(Task task);

    /**
     * Runs {@code task} after the effects of this turn were handed out, on the loop's thread: where data that has just
     * arrived is cached, and without a wake-up. On the loop only.
     *
     * @return false if this driver can't, because it has no second thread for the loop when a task blocks the first
     */
    default boolean runInLoop(LoopTask task) {
        return false;
    }

    /**
     * Calls {@code listener} once if the loop ends because of an internal error: of the machine, or of the driver itself. Nothing
     * is run or delivered afterwards. On the loop's thread; to be set before the machine is started.
     */
    default void onFailure(Consumer<Throwable> listener) {}

    /** Ends all connections, after writing pending data, and the loop. Blocks for two seconds at most. Idempotent. */
    @Override
    void close();
}
