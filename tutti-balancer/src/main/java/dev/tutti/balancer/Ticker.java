package dev.tutti.balancer;

import dev.tutti.Threads;
import java.util.concurrent.TimeUnit;

/** Runs a task once a second until it is closed. */
final class Ticker implements AutoCloseable {

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Threads threads;
    private final Runnable task;
    private volatile boolean isClosed;

    Ticker(Threads threads, Runnable task) {
        this.threads = threads;
        this.task = task;
        next();
    }

    private void next() {
        threads.startAfter(PAUSE_NANOS, "tutti-balancer-tick", () -> {
            if (!isClosed) {
                try {
                    task.run();
                } finally {
                    next();
                }
            }
        });
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
