package dev.tutti.grid.bridges.host;

import dev.tutti.grid.Body;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.bridges.internal.Outlet;
import dev.tutti.grid.bridges.internal.Sampler;
import dev.tutti.grid.bridges.internal.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import oshi.SystemInfo;
import oshi.hardware.CentralProcessor;
import oshi.hardware.GlobalMemory;
import oshi.hardware.HWDiskStore;
import oshi.hardware.HardwareAbstractionLayer;
import oshi.hardware.NetworkIF;
import oshi.software.os.FileSystem;
import oshi.software.os.OSFileStore;

/**
 * A producer of the figures of this host, as OSHI reads them, below {@code hosts/NAME}:
 *
 * <ul>
 *   <li>{@code cpu/load} from 0 to 1, {@code cpu/run-queue} (load average of a minute), {@code cpu/count};
 *   <li>{@code memory/total}, {@code memory/available}, {@code swap/total}, {@code swap/used};
 *   <li>for each disk {@code disks/DISK/read} and {@code /written}, with rates {@code read-rate} and {@code written-rate};
 *   <li>for each file system {@code filesystems/total} and {@code filesystems/free}, with tags {@code mount} and {@code type};
 *   <li>for each interface {@code network/INTERFACE/received} and {@code /sent}, their rates, and {@code /errors}.
 * </ul>
 *
 * <p>All measurements have the tag {@code host}. The producer announces the processor's load, {@link Producer#load}. It needs {@code
 * com.github.oshi:oshi-core}, which the module does not bring, and which loads native code.
 */
public final class HostFigures implements AutoCloseable {

    /** Most disks, file systems, and interfaces, of each; further ones are left out. */
    public static final int PARTS_MAX = 256;

    private static final double LOAD_UNKNOWN = -1;

    private record Count(double value, long nanos) {}

    /** Reads one kind of figures, and publishes them. */
    private interface Section {
        void read(Instant now);
    }

    private final String host;
    private final HardwareAbstractionLayer hardware;
    private final FileSystem files;
    private final LongSupplier nanoTime;
    private final Outlet outlet;
    private final Sampler sampler;
    private long[] ticks = {};
    private Map<String, Count> counts = new HashMap<>();
    private Map<String, Count> countsNext = new HashMap<>();

    private HostFigures(
            Grid grid, String host, Duration interval, HardwareAbstractionLayer hardware, FileSystem files, LongSupplier nanoTime) {
        this.host = Topics.level(host);
        this.hardware = hardware;
        this.files = files;
        this.nanoTime = nanoTime;
        Sampler.check(interval);
        String prefix = "hosts/" + this.host;
        this.outlet = new Outlet(grid, ProducerOptions.of(prefix, prefix + "/#").type("host").with("host", host), prefix);
        this.sampler = new Sampler("figures of " + this.host, interval, this::read);
    }

    /**
     * Registers the producer, and begins to measure.
     *
     * @param host name of this host
     * @param interval time between measurements
     */
    public static HostFigures publish(Grid grid, String host, Duration interval) {
        SystemInfo system = new SystemInfo();
        return publish(grid, host, interval, system.getHardware(), system.getOperatingSystem().getFileSystem(), System::nanoTime);
    }

    static HostFigures publish(
            Grid grid, String host, Duration interval, HardwareAbstractionLayer hardware, FileSystem files, LongSupplier nanoTime) {
        return new HostFigures(grid, host, interval, hardware, files, nanoTime);
    }

    /** Reads all sections: one that fails does not keep the others from being read. */
    private void read() {
        Instant now = Instant.now();
        List<Section> sections = List.of(this::readProcessor, this::readMemory, this::readDisks, this::readFiles, this::readNetwork);
        List<Throwable> failed = new ArrayList<>();
        for (Section section : sections) {
            try {
                section.read(now);
            } catch (RuntimeException | LinkageError e) {
                failed.add(e);
            }
        }
        counts = countsNext;
        countsNext = new HashMap<>();
        if (!failed.isEmpty()) {
            throw new IllegalStateException(failed.size() + " of " + sections.size() + " kinds of figures, first: " + failed.getFirst(), failed.getFirst());
        }
    }

    private void readProcessor(Instant now) {
        CentralProcessor processor = hardware.getProcessor();
        long[] before = ticks;
        ticks = processor.getSystemCpuLoadTicks();
        if (before.length == ticks.length) {
            double load = Math.clamp(processor.getSystemCpuLoadBetweenTicks(before, ticks), 0, 1);
            publish("cpu/load", now, load, "1");
            if (!Double.isNaN(load)) {
                outlet.producer().load(load);
            }
        }
        double average = processor.getSystemLoadAverage(1)[0];
        // Windows has none.
        if (average > LOAD_UNKNOWN) {
            publish("cpu/run-queue", now, average, "1");
        }
        publish("cpu/count", now, processor.getLogicalProcessorCount(), "1");
    }

    private void readMemory(Instant now) {
        GlobalMemory memory = hardware.getMemory();
        publish("memory/total", now, memory.getTotal(), "By");
        publish("memory/available", now, memory.getAvailable(), "By");
        publish("swap/total", now, memory.getVirtualMemory().getSwapTotal(), "By");
        publish("swap/used", now, memory.getVirtualMemory().getSwapUsed(), "By");
    }

    private void readDisks(Instant now) {
        for (HWDiskStore disk : first(hardware.getDiskStores())) {
            // Named by its path at times, such as /dev/sda.
            String name = "disks/" + Topics.level(disk.getName().substring(disk.getName().lastIndexOf('/') + 1));
            count(name + "/read", now, disk.getReadBytes(), "By");
            count(name + "/written", now, disk.getWriteBytes(), "By");
        }
    }

    private void readFiles(Instant now) {
        for (OSFileStore store : first(files.getFileStores(true))) {
            Map<String, String> tags = Map.of("host", host, "mount", store.getMount(), "type", store.getType());
            outlet.publish("filesystems/total", tags, now, Body.of((double) store.getTotalSpace(), "By"));
            outlet.publish("filesystems/free", tags, now, Body.of((double) store.getUsableSpace(), "By"));
        }
    }

    private void readNetwork(Instant now) {
        for (NetworkIF each : first(hardware.getNetworkIFs())) {
            String name = "network/" + Topics.level(each.getName());
            count(name + "/received", now, each.getBytesRecv(), "By");
            count(name + "/sent", now, each.getBytesSent(), "By");
            cumulative(name + "/errors", now, (double) each.getInErrors() + each.getOutErrors(), "1");
        }
    }

    private static <T> List<T> first(List<T> parts) {
        return parts.subList(0, Math.min(parts.size(), PARTS_MAX));
    }

    /** Publishes a number that only grows, and its increase for each second. */
    private void count(String name, Instant now, double value, String unit) {
        cumulative(name, now, value, unit);
        Count count = new Count(value, nanoTime.getAsLong());
        countsNext.put(name, count);
        Count before = counts.get(name);
        // A smaller one has begun anew.
        if (before != null && value >= before.value && count.nanos > before.nanos) {
            double seconds = (count.nanos - before.nanos) / (double) TimeUnit.SECONDS.toNanos(1);
            publish(name + "-rate", now, (value - before.value) / seconds, unit + "/s");
        }
    }

    private void cumulative(String name, Instant now, double value, String unit) {
        Map<String, String> tags = new TreeMap<>(Map.of("host", host, Outlet.TEMPORALITY, Outlet.CUMULATIVE, Outlet.MONOTONIC, "true"));
        publish(name, tags, now, value, unit);
    }

    private void publish(String name, Instant now, double value, String unit) {
        publish(name, Map.of("host", host), now, value, unit);
    }

    private void publish(String name, Map<String, String> tags, Instant now, double value, String unit) {
        outlet.publish(name, tags, now, Body.of(value, unit));
    }

    /** Returns the number of readings that were not complete. */
    public long failures() {
        return sampler.failures();
    }

    /** Returns the number of measurements that were published. */
    public long published() {
        return outlet.published();
    }

    /** Ends the measuring, and withdraws the producer. Idempotent. */
    @Override
    public void close() {
        sampler.close();
        outlet.close();
    }
}
