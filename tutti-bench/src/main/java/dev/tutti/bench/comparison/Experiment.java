package dev.tutti.bench.comparison;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Loads that answer one question together; a {@code GridCommand} measures them by default. */
public enum Experiment {
    THROUGHPUT(
            "Multicast as fast as the system takes it, side by side",
            "tutti,jgroups,limit",
            Map.of(),
            "Messages of all senders, divided by the time until the last member has all of them."),
    ONE_TO_N(
            "One sender, by size and members",
            "tutti,jgroups,limit",
            Map.of("--pattern", "1-n", "--size", Experiment.ALL_SIZES, "--members", Experiment.ALL_MEMBERS,
                    "--warmup", "8s", "--time", "2s"),
            "From the first message until the last member has everything."),
    N_TO_N(
            "All send at once, by size and members",
            "tutti,jgroups,limit",
            Map.of("--pattern", "n-n", "--size", Experiment.ALL_SIZES, "--members", Experiment.ALL_MEMBERS,
                    "--warmup", "8s", "--time", "2s"),
            "All begin at the same instant, and the slowest sender counts."),
    TRANSPORTS(
            "TCP, UDP, IP multicast and the ring, with and without flow control",
            "tutti,tutti-ring,tutti-udp,tutti-udp-unicast,jgroups,jgroups-uncontrolled,jgroups-udp,jgroups-udp-uncontrolled",
            Map.of("--pattern", "1-n,n-n", "--size", "1KiB,10KiB", "--members", Experiment.ALL_MEMBERS),
            "tutti has no mode without flow control: its window is its memory."),
    THREADS(
            "Many threads of each member send",
            "tutti,jgroups",
            Map.of("--threads", "1,2,4,8,16,32,64"),
            "The order of each thread's messages is verified."),
    SCALING(
            "From 2 to 16 members",
            "tutti,jgroups,limit",
            Map.of("--members", "2,3,4,6,8,12,16"),
            "Messages per second that all members together receive."),
    MEMORY(
            "Every load with a heap of 64 MB",
            "tutti",
            Map.of("--pattern", "1-n,n-n", "--size", "100B,1KiB,10KiB,1MiB", "--members", "4,8,16",
                    "--warmup", "4s", "--time", "4s", "--repetitions", "1"),
            "Nothing may be lost, and nobody may run out of memory.");

    static final String ALL_SIZES = "1B,10B,100B,1kB,10kB,100kB,1MB,10MB";
    static final String ALL_MEMBERS = "2,4,8,16";

    private static final Map<String, String> ONE_LOAD =
            Map.of("--pattern", "n-n", "--size", "1KiB", "--members", "4", "--threads", "1");

    private final String title;
    private final String systems;
    private final Map<String, String> axes;
    private final String description;

    Experiment(String title, String systems, Map<String, String> axes, String description) {
        this.title = title;
        this.systems = systems;
        this.axes = axes;
        this.description = description;
    }

    public String title() {
        return title;
    }

    public String description() {
        return description;
    }

    /** Returns the defaults of options, by their names. */
    public Map<String, String> defaults() {
        Map<String, String> all = new LinkedHashMap<>(ONE_LOAD);
        all.put("--systems", systems);
        all.putAll(axes);
        return all;
    }

    public String heap() {
        return this == MEMORY ? "64m" : "512m";
    }

    /** Returns the name on the command line. */
    public String command() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns all but the first one, which is for questions of one's own. */
    public static List<Experiment> reported() {
        return List.of(ONE_TO_N, N_TO_N, TRANSPORTS, THREADS, SCALING, MEMORY);
    }
}
