package dev.tutti.tomcat;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Timer of all managers. Its single thread runs the tasks, which must return at once. It ends when no task waits, and
 * has the class loader of this class, not that of an application.
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

    /** Runs a task once, after {@code delay}. */
    static void after(Duration delay, Runnable task) {
        TIMER.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Runs a task periodically, until it is cancelled or throws. */
    static Future<?> every(Duration period, Runnable task) {
        return TIMER.scheduleAtFixedRate(task, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }
}
