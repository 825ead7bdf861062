package dev.tutti.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Watches what the present thread allocates for what it reads. */
final class Allocation {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Bound bound;
    private long startedBytes;
    private long excessBytes = Long.MIN_VALUE;

    Allocation(Bound bound) {
        this.bound = bound;
    }

    void start() {
        startedBytes = THREADS.getCurrentThreadAllocatedBytes();
    }

    /**
     * @param readBytes that were read since the start
     * @param otherBytes allocated on account of something else
     */
    void stop(long readBytes, long otherBytes) {
        long bytes = THREADS.getCurrentThreadAllocatedBytes() - startedBytes - otherBytes;
        excessBytes = Math.max(excessBytes, bytes - bound.bytes(readBytes));
    }

    /** The most that was allocated beyond the bound of what was read; negative if nothing was. */
    long excessBytes() {
        return excessBytes;
    }
}
