package dev.tutti;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * Threads, timers and waiting where a node runs: those of the process, or those of a simulation whose time is virtual.
 * Components that take theirs from {@link Node#threads} run in both, and can be tested without waiting.
 *
 * <p>All methods may be called from any thread. Those that wait must not be called by listeners of a group that is {@link
 * GroupBuilder#inline}.
 */
public interface Threads {

    /** Time that passes, from an arbitrary origin and never back: to be compared by difference alone. */
    default long nanoTime() {
        return System.nanoTime();
    }

    /**
     * The wall clock, in milliseconds since 1970 in UTC. It may be set back, leap, and differ from the clocks of other
     * members: nothing that must be right may depend on it.
     */
    default long epochMillis() {
        return System.currentTimeMillis();
    }

    /** Runs {@code task} on a thread of its own, which it may block. */
    default void start(String name, Runnable task) {
        Thread.ofVirtual().name(name).start(task);
    }

    /**
     * The same, after {@code delayNanos}: never earlier, and as much later as the machine is busy. It can't be taken back;
     * in a simulation, what is still to come when its process ends does not happen.
     */
    default void startAfter(long delayNanos, String name, Runnable task) {
        CompletableFuture.delayedExecutor(delayNanos, TimeUnit.NANOSECONDS, due -> start(name, due)).execute(task);
    }

    /** A condition of {@code lock} to wait on. */
    default Condition condition(Lock lock) {
        return lock.newCondition();
    }

    /** As {@link CompletableFuture#join}. */
    default <T> T join(CompletableFuture<T> future) {
        return future.join();
    }

    /** As {@link CompletableFuture#get()}. */
    default <T> T get(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
        return future.get();
    }

    /** As {@link CompletableFuture#get(long, TimeUnit)}. */
    default <T> T get(CompletableFuture<T> future, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(timeout, unit);
    }
}
