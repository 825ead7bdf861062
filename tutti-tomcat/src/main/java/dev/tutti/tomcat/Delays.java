package dev.tutti.tomcat;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The timer of all managers. Its one thread only starts tasks, which must return at once; it ends when nothing waits, and
 * belongs to no application.
 */
final class Delays {

    private static final ScheduledThreadPoolExecutor TIMER = timer();

    private Delays() {}

    private static ScheduledThreadPoolExecutor timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(null, task, "tutti-sessions-timer", 0, false);
            thread.setContextClassLoader(Delays.class.getClassLoader());
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(10, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }

    /** Starts a task once. */
    static void after(Duration delay, Runnable task) {
        TIMER.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Starts a task again and again, until it is cancelled or throws. */
    static Future<?> every(Duration period, Runnable task) {
        return TIMER.scheduleAtFixedRate(task, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }
}
