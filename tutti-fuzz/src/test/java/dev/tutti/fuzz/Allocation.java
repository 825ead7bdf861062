package dev.tutti.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Watches what the present thread allocates for what it reads. */
final class Allocation {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final int factor;
    private long startedBytes;
    private long mostBytes;

    /** @param factor how many bytes may be allocated per byte that is read */
    Allocation(int factor) {
        this.factor = factor;
    }

    void start() {
        startedBytes = THREADS.getCurrentThreadAllocatedBytes();
    }

    /**
     * @param readBytes that were read since the start
     * @param otherBytes allocated on account of something else
     */
    void stop(int readBytes, long otherBytes) {
        long bytes = THREADS.getCurrentThreadAllocatedBytes() - startedBytes - otherBytes;
        mostBytes = Math.max(mostBytes, bytes - (long) factor * readBytes);
    }

    /** The most that was allocated beyond what the size of what was read allows. */
    long mostBytes() {
        return mostBytes;
    }
}
