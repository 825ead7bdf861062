package dev.tutti.netty.internal.loop;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.jspecify.annotations.Nullable;

/**
 * Measures whether processor time is left: for the loop's thread, and on the machine (or a container's share of it).
 */
public final class ProcessorWatch {

    private static final long PERIOD_NANOS = 250_000_000;
    private static final double THREAD_SHARE_MAX = 0.8;
    private static final double MACHINE_SHARE_MAX = 0.9;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final @Nullable OperatingSystemMXBean machine =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private @Nullable Thread thread;
    private long startNanos;
    private long startThreadNanos;

    /** Returns whether a period is over; {@link #isBusy} then gives its result. */
    public boolean isDue(long nowNanos) {
        return thread == null || nowNanos - startNanos >= PERIOD_NANOS;
    }

    /** Ends a period and begins the next. On the loop, by the thread that has led it since the period began. */
    public boolean isBusy(long nowNanos) {
        long threadNanos = threads.isCurrentThreadCpuTimeSupported() ? threads.getCurrentThreadCpuTime() : 0;
        double machineShare = machine == null ? 0 : machine.getCpuLoad();
        boolean isSameThread = thread == Thread.currentThread();
        double threadShare = isSameThread ? (double) (threadNanos - startThreadNanos) / (nowNanos - startNanos) : 0;
        thread = Thread.currentThread();
        startNanos = nowNanos;
        startThreadNanos = threadNanos;
        return threadShare >= THREAD_SHARE_MAX || machineShare >= MACHINE_SHARE_MAX;
    }
}
