package dev.tutti.bench.process;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Resources that this process has used so far.
 *
 * @param jitMillis time spent in compilation
 * @param gcMillis time spent in garbage collection
 */
public record Usage(long cpuNanos, long allocatedBytes, long jitMillis, long gcMillis) {

    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final com.sun.management.OperatingSystemMXBean SYSTEM =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    public static final Usage NONE = new Usage(0, 0, 0, 0);

    static Usage now() {
        long gcMillis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            gcMillis += collector.getCollectionTime();
        }
        return new Usage(
                SYSTEM.getProcessCpuTime(),
                THREADS.getTotalThreadAllocatedBytes(),
                ManagementFactory.getCompilationMXBean().getTotalCompilationTime(),
                gcMillis);
    }

    Usage minus(Usage before) {
        return new Usage(
                cpuNanos - before.cpuNanos,
                allocatedBytes - before.allocatedBytes,
                jitMillis - before.jitMillis,
                gcMillis - before.gcMillis);
    }

    public Usage plus(Usage other) {
        return new Usage(
                cpuNanos + other.cpuNanos,
                allocatedBytes + other.allocatedBytes,
                jitMillis + other.jitMillis,
                gcMillis + other.gcMillis);
    }

    public static Usage of(Line line) {
        return new Usage(line.number("cpu"), line.number("allocated"), line.number("jit"), line.number("gc"));
    }

    void writeTo(Line line) {
        line.with("cpu", cpuNanos).with("allocated", allocatedBytes).with("jit", jitMillis).with("gc", gcMillis);
    }

    /**
     * Writes the resources that this process holds now: the heap after a collection, direct memory, resident memory,
     * platform threads. The carriers of virtual threads belong to the JVM; they exist when threads are counted for the
     * first time.
     */
    static void writeHeldTo(Line line) {
        startCarriers();
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        long direct = 0;
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            direct += Math.max(0, pool.getMemoryUsed());
        }
        line.with("at", System.nanoTime())
                .with("heap", heap)
                .with("direct", direct)
                .with("resident", residentBytes())
                .with("threads", ManagementFactory.getThreadMXBean().getThreadCount());
    }

    /** Runs as many virtual threads at once as there can be carriers; each parks for a time, too. */
    private static void startCarriers() {
        CountDownLatch begun = new CountDownLatch(Runtime.getRuntime().availableProcessors());
        List<Thread> threads = Stream.generate(() -> Thread.ofVirtual().start(() -> {
                    begun.countDown();
                    while (begun.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                    LockSupport.parkNanos(1);
                }))
                .limit(begun.getCount())
                .toList();
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the resident memory; 0 where there is no /proc. */
    private static long residentBytes() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("VmRSS:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
                }
            }
        } catch (IOException e) {
            return 0;
        }
        return 0;
    }
}
