package dev.tutti;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * Threads, timers and waiting in the environment of a node: those of the process, or those of a simulation with virtual
 * time. Components that use {@link Node#threads} run in both, and can be tested without waiting.
 *
 * <p>All methods may be called from any thread. Those that wait must not be called by listeners of a group that is
 * {@link GroupBuilder#inline}.
 */
public interface Threads {

    /** Returns monotonic time in nanoseconds, from an arbitrary origin: only differences have a meaning. */
    default long nanoTime() {
        return System.nanoTime();
    }

    /**
     * Returns the wall clock, in milliseconds since 1970 in UTC. It may be set back, leap, and differ from the clocks
     * of other members: correctness must not depend on it.
     */
    default long epochMillis() {
        return System.currentTimeMillis();
    }

    /** Runs {@code task} on a thread of its own, which the task may block. */
    default void start(String name, Runnable task) {
        Thread.ofVirtual().name(name).start(task);
    }

    /**
     * Runs {@code task} on a thread of its own after {@code delayNanos}: never earlier, and later on a busy machine. It
     * can't be cancelled; in a simulation, tasks that are due after the end of their process never run.
     */
    default void startAfter(long delayNanos, String name, Runnable task) {
        CompletableFuture.delayedExecutor(delayNanos, TimeUnit.NANOSECONDS, due -> start(name, due)).execute(task);
    }

    /** Returns a condition of {@code lock} to wait on. */
    default Condition condition(Lock lock) {
        return lock.newCondition();
    }

    /** Waits as {@link CompletableFuture#join} does. */
    default <T> T join(CompletableFuture<T> future) {
        return future.join();
    }

    /** Waits as {@link CompletableFuture#get()} does. */
    default <T> T get(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
        return future.get();
    }

    /** Waits as {@link CompletableFuture#get(long, TimeUnit)} does. */
    default <T> T get(CompletableFuture<T> future, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(timeout, unit);
    }
}
