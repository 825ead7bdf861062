package dev.tutti.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Measures the allocations of the current thread for its input. */
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
     * @param readBytes bytes read since the start
     * @param otherBytes bytes allocated for other reasons
     */
    void stop(long readBytes, long otherBytes) {
        long bytes = THREADS.getCurrentThreadAllocatedBytes() - startedBytes - otherBytes;
        excessBytes = Math.max(excessBytes, bytes - bound.bytes(readBytes));
    }

    /** Returns the largest allocation beyond the bound of the bytes read; negative if there was none. */
    long excessBytes() {
        return excessBytes;
    }
}
