package dev.tutti.testkit;

import dev.tutti.sim.Simulation;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads and timers of one run of a process. Each task has a strand of its own, so that one that waits in tutti does
 * not hold up the others. Tasks that are due after the end of the process never run.
 */
final class VirtualScheduler extends AbstractExecutorService implements ScheduledExecutorService {

    private final Simulation simulation;
    private final CooperativeThreads threads;
    private final CooperativeThreads.Owner owner;
    private final BooleanSupplier isProcessUp;
    private long sequence;
    private boolean isShutdown;

    VirtualScheduler(Simulation simulation, CooperativeThreads threads, CooperativeThreads.Owner owner, BooleanSupplier isProcessUp) {
        this.simulation = simulation;
        this.threads = threads;
        this.owner = owner;
        this.isProcessUp = isProcessUp;
    }

    private final class Timer<V extends @Nullable Object> extends FutureTask<V> implements ScheduledFuture<V> {
        private final long number = sequence++;
        private final long periodNanos;
        private final boolean isFixedRate;
        private long dueNanos;

        Timer(Callable<V> task, long delayNanos, long periodNanos, boolean isFixedRate) {
            super(task);
            this.periodNanos = periodNanos;
            this.isFixedRate = isFixedRate;
            this.dueNanos = simulation.nowNanos() + Math.max(0, delayNanos);
        }

        void plan() {
            if (isShutdown) {
                throw new RejectedExecutionException("the scheduler was shut down");
            }
            simulation.at(dueNanos, () -> {
                if (isProcessUp.getAsBoolean() && !isShutdown && !isCancelled()) {
                    threads.start(owner, "scheduler", this);
                }
            });
        }

        @Override
        public void run() {
            if (periodNanos == 0) {
                super.run();
            } else if (runAndReset() && !isShutdown) {
                dueNanos = (isFixedRate ? dueNanos : simulation.nowNanos()) + periodNanos;
                plan();
            }
        }

        @Override
        protected void setException(Throwable cause) {
            super.setException(cause);
            if (periodNanos > 0 && !threads.isKilled()) {
                // Nobody would look at the future, and the task has run for the last time.
                threads.fail(cause);
            }
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(dueNanos - simulation.nowNanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            int order = Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
            return order == 0 && other instanceof Timer<?> timer ? Long.compare(number, timer.number) : order;
        }
    }

    private <V extends @Nullable Object> ScheduledFuture<V> plan(Timer<V> timer) {
        timer.plan();
        return timer;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return plan(new Timer<>(Executors.callable(command), unit.toNanos(delay), 0, false));
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return plan(new Timer<>(callable, unit.toNanos(delay), 0, false));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return plan(new Timer<>(
                Executors.callable(command), unit.toNanos(initialDelay), periodNanos(period, unit), true));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return plan(new Timer<>(
                Executors.callable(command), unit.toNanos(initialDelay), periodNanos(delay, unit), false));
    }

    private static long periodNanos(long period, TimeUnit unit) {
        if (period <= 0) {
            throw new IllegalArgumentException("a period of " + period + " " + unit + ", more than 0");
        }
        return unit.toNanos(period);
    }

    @Override
    public void execute(Runnable command) {
        if (isShutdown) {
            throw new RejectedExecutionException("the scheduler was shut down");
        }
        if (isProcessUp.getAsBoolean()) {
            threads.start(owner, "executor", command);
        }
    }

    @Override
    public void shutdown() {
        isShutdown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        isShutdown = true;
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return isShutdown;
    }

    @Override
    public boolean isTerminated() {
        return isShutdown;
    }

    /** Returns at once: running tasks end on their own. */
    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isShutdown;
    }
}
