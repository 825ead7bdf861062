package dev.tutti.testkit;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Looks at a cluster twice a second of real time, to see whether the test or a strand is stuck. It is no part of the
 * simulation, and acts only on a stuck test. All watchdogs share a thread.
 */
final class Watchdog implements AutoCloseable {

    /** A thread of the operating system: strands that never end may have all that virtual threads run on. */
    private static final ScheduledThreadPoolExecutor THREAD = thread();

    private final Future<?> looks;

    /** @param look looks at the cluster, and returns whether the watchdog goes on */
    Watchdog(BooleanSupplier look) {
        looks = THREAD.scheduleWithFixedDelay(
                () -> {
                    if (!look.getAsBoolean()) {
                        close();
                    }
                },
                LOOK_MILLIS,
                LOOK_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    private static ScheduledThreadPoolExecutor thread() {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(
                1, task -> Thread.ofPlatform().daemon().name("tutti-testkit watchdog").unstarted(task));
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }

    @Override
    public void close() {
        looks.cancel(false);
    }

    private static final int LOOK_MILLIS = 500;
}
