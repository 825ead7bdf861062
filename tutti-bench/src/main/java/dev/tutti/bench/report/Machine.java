package dev.tutti.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The machine at an instant.
 *
 * @param busyNanos CPU time that all processes of the machine have used; 0 where there is no /proc
 */
public record Machine(long atNanos, long busyNanos) {

    /** Unit of /proc/stat; the same on all Linux systems of interest. */
    private static final long JIFFY_NANOS = 10_000_000;

    private static final int LOAD_AVERAGES = 3;
    private static final int IDLE = 4;
    private static final int IO_WAIT = 5;
    private static final int STEAL = 8;

    public static Machine now() {
        long jiffies = 0;
        String[] words = read("/proc/stat").lines().findFirst().orElse("").split("\\s+");
        for (int index = 1; index <= STEAL && index < words.length; index++) {
            if (index != IDLE && index != IO_WAIT) {
                jiffies += Long.parseLong(words[index]);
            }
        }
        return new Machine(System.nanoTime(), jiffies * JIFFY_NANOS);
    }

    /** Returns the number of cores that other processes kept busy since {@code before}, on average. */
    public double foreignCores(Machine before, long ownCpuNanos) {
        long elapsed = Math.max(1, atNanos - before.atNanos);
        return Math.max(0, (double) (busyNanos - before.busyNanos - ownCpuNanos) / elapsed);
    }

    public static String load() {
        String text = read("/proc/loadavg");
        return text.isEmpty()
                ? "unknown"
                : Arrays.stream(text.split(" ")).limit(LOAD_AVERAGES).collect(Collectors.joining(" "));
    }

    /** Returns the name of TCP's congestion control; empty if unknown. */
    private static String congestion() {
        return read("/proc/sys/net/ipv4/tcp_congestion_control").strip();
    }

    /** Returns the congestion control with this name if network namespaces may have it, else that of the machine. */
    public static String congestion(String wanted) {
        List<String> allowed = List.of(read("/proc/sys/net/ipv4/tcp_allowed_congestion_control").strip().split(" "));
        return allowed.contains(wanted) ? wanted : congestion();
    }

    /** Returns the memory that processes may take without swapping, in bytes; the greatest number where there is no /proc. */
    public static long availableBytes() {
        return read("/proc/meminfo").lines()
                .filter(line -> line.startsWith("MemAvailable:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    /** Returns facts about the machine on which figures depend, for the report. */
    public static Map<String, Object> description() {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("date", Instant.now().truncatedTo(ChronoUnit.MINUTES).toString());
        description.put("processors", Runtime.getRuntime().availableProcessors());
        description.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
        description.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        description.put("tcp-congestion-control", congestion());
        description.put("load", load());
        return description;
    }

    /** Returns the text of a file; empty if there is none. */
    private static String read(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            return "";
        }
    }
}
