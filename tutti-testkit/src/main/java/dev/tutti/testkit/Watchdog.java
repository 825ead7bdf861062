package dev.tutti.testkit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Checks, in real time, whether the test's own thread is stuck: only that thread lets virtual time pass, so nothing
 * else could wake it. It is no part of the simulation, and acts only on a stuck test.
 */
final class Watchdog implements AutoCloseable {

    private final Thread watched;
    private final BooleanSupplier isExcused;
    private final Runnable onStuck;
    private volatile boolean isClosed;

    /**
     * @param isExcused returns whether the thread waits for a good reason
     * @param onStuck called once, on a thread of the watchdog
     */
    Watchdog(Thread watched, BooleanSupplier isExcused, Runnable onStuck) {
        this.watched = watched;
        this.isExcused = isExcused;
        this.onStuck = onStuck;
        Thread.ofVirtual().name("tutti-testkit watchdog").start(this::watch);
    }

    private void watch() {
        int looks = 0;
        while (!isClosed && looks < LOOKS_MAX) {
            LockSupport.parkNanos(LOOK_NANOS);
            Thread.State state = watched.getState();
            boolean isWaiting = state == Thread.State.BLOCKED || state == Thread.State.WAITING;
            looks = isWaiting && !isExcused.getAsBoolean() ? looks + 1 : 0;
        }
        if (!isClosed) {
            onStuck.run();
        }
    }

    @Override
    public void close() {
        isClosed = true;
    }

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int LOOKS_MAX = 6;
}
