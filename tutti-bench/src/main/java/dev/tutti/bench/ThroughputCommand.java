package dev.tutti.bench;

import dev.tutti.bench.Cluster.Outcome;
import dev.tutti.bench.Cluster.Phase;
import dev.tutti.core.settings.Durations;
import dev.tutti.core.settings.Size;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Messages per second, from one or from all members to all. */
@Command(
        name = "throughput",
        mixinStandardHelpOptions = true,
        description = {
            "Multicast as fast as the system takes it, from one member (1-n) or from all (n-n).",
            "A figure is the messages of all senders divided by the time until the last member has all of them.",
            "Each repetition starts new processes, warms them up and measures; the systems take turns.",
        },
        footer = {
            "",
            "Examples:",
            "  tutti bench throughput --systems tutti,jgroups,limit",
            "  tutti bench throughput --systems tutti,tutti-sequencer,tutti-rotation,jgroups-sequencer",
            "  tutti bench throughput --members 2 --mode 1-n --size 100B --repetitions 3 --json figures.json",
        })
final class ThroughputCommand implements Callable<Integer> {

    /** How the figure of the requirements reads: 4 processes, all sending 1 KiB, against JGroups. */
    private static final double FACTOR_MIN = 2.5;

    /** How the figures of the requirements read for IP multicast beside TCP, 4 and 8 processes, all sending 1 KiB. */
    private static final double TCP_FACTOR_MAX = 2;

    private static final double SPREAD_MAX = 0.3;

    /** Total order by turns, against FIFO. */
    private static final double ROTATION_MIN = 0.6;

    /** Total order, against JGroups' SEQUENCER. */
    private static final double SEQUENCER_MIN = 5;

    /**
     * The warm-up is so many phases. With one, the code that begins and ends a phase would run for the first time when it
     * counts, and the compiler would throw away what had assumed that it never does.
     */
    private static final int WARMUPS = 8;

    /** Beyond so many cores of others' work a repetition is marked. */
    private static final double FOREIGN_MAX = 0.25;

    private enum Mode {
        ONE,
        ALL
    }

    private record Repetition(Outcome outcome, double foreignCores, String load) {}

    @Mixin
    private final Output output = new Output();

    @Option(
            names = "--members",
            paramLabel = "N",
            defaultValue = "4",
            description = "Processes. Default: ${DEFAULT-VALUE}.")
    private int members;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "n-n",
            description = "1-n or n-n. Default: ${DEFAULT-VALUE}.")
    private String mode = "n-n";

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "1KiB",
            description = "Of a message. Default: ${DEFAULT-VALUE}.")
    private Size size = Size.kibibytes(1);

    @Option(
            names = "--systems",
            paramLabel = "SYSTEM",
            split = ",",
            defaultValue = "tutti,jgroups,limit",
            description = "Default: ${DEFAULT-VALUE}.")
    private List<SystemKind> systems = List.of();

    @Option(
            names = "--repetitions",
            paramLabel = "N",
            defaultValue = "6",
            description = "Of each system. Default: ${DEFAULT-VALUE}.")
    private int repetitions;

    @Option(
            names = "--warmup",
            paramLabel = "DURATION",
            defaultValue = "24s",
            description = "Sending before it counts. Default: ${DEFAULT-VALUE}.")
    private Duration warmup = Duration.ZERO;

    @Option(
            names = "--time",
            paramLabel = "DURATION",
            defaultValue = "4s",
            description = "Measured sending. Default: ${DEFAULT-VALUE}.")
    private Duration time = Duration.ZERO;

    @Override
    public Integer call() {
        Mode sending =
                switch (mode) {
                    case "1-n" -> Mode.ONE;
                    case "n-n" -> Mode.ALL;
                    default -> throw new BenchException("--mode is 1-n or n-n, not '" + mode + "'");
                };
        int senders = sending == Mode.ONE ? 1 : members;
        output.put("members", members);
        output.put("mode", mode);
        output.put("bytes", size.bytes());
        output.put("warmup", Durations.print(warmup));
        output.put("time", Durations.print(time));
        output.print("throughput " + mode + ", " + members + " processes, " + size + ", " + repetitions
                + " repetitions of " + Durations.print(warmup) + " + " + Durations.print(time));
        Map<SystemKind, List<Repetition>> results = new LinkedHashMap<>();
        for (int repetition = 1; repetition <= repetitions; repetition++) {
            for (SystemKind system : systems) {
                Repetition result = measure(system, senders);
                results.computeIfAbsent(system, key -> new ArrayList<>()).add(result);
                Outcome outcome = result.outcome();
                output.progress(String.format(
                        Locale.ROOT,
                        "%d/%d %-17s %,12.0f messages/s  %.2f µs CPU/delivery  jit %,d ms%s  others %.2f cores  load %s%s",
                        repetition,
                        repetitions,
                        system,
                        outcome.messagesPerSecond(),
                        cpuMicros(outcome),
                        outcome.usage().jitMillis(),
                        outcome.packets() == 0
                                ? ""
                                : String.format(Locale.ROOT, "  %.1f messages/packet", perPacket(outcome)),
                        result.foreignCores(),
                        result.load(),
                        result.foreignCores() > FOREIGN_MAX ? "  (contaminated)" : ""));
            }
        }
        report(results);
        return output.finish();
    }

    private Repetition measure(SystemKind system, int senders) {
        try (Cluster cluster = new Cluster(system, members, output.jvmOptions("512m"))) {
            cluster.form();
            int bytes = Math.toIntExact(size.bytes());
            for (int phase = 1; phase <= WARMUPS; phase++) {
                Outcome warm = cluster.run(new Phase(
                        phase, senders, bytes, warmup.dividedBy(WARMUPS), Duration.ZERO, Duration.ZERO));
                warm.faults().forEach(fault -> output.fail(system + ", warm-up: " + fault));
            }
            Machine before = Machine.now();
            Outcome outcome =
                    cluster.run(new Phase(WARMUPS + 1, senders, bytes, time, Duration.ZERO, Duration.ZERO));
            Machine after = Machine.now();
            outcome.faults().forEach(fault -> output.fail(system + ": " + fault));
            return new Repetition(
                    outcome, after.foreignCores(before, outcome.usage().cpuNanos()), Machine.load());
        }
    }

    private void report(Map<SystemKind, List<Repetition>> results) {
        Table table = new Table(
                "system", "messages/s min", "median", "max", "spread", "MiB/s", "to others", "to self", "CPU µs/delivery", "B/delivery",
                "others' cores");
        Map<String, Object> figures = new LinkedHashMap<>();
        results.forEach((system, all) -> {
            Summary rate = summary(all, result -> result.outcome().messagesPerSecond());
            Summary cpu = summary(all, result -> cpuMicros(result.outcome()));
            Summary allocated = summary(all, result -> (double) result.outcome().usage().allocatedBytes()
                    / Math.max(1, result.outcome().deliveries()));
            Summary foreign = summary(all, Repetition::foreignCores);
            Summary others = summary(all, result -> result.outcome().others());
            Summary own = summary(all, result -> result.outcome().own());
            table.row(
                    system,
                    number(rate.min()),
                    number(rate.median()),
                    number(rate.max()),
                    String.format(Locale.ROOT, "%.0f %%", 100 * spread(rate)),
                    number(rate.median() * size.bytes() / (1 << 20)),
                    number(others.median()),
                    number(own.median()),
                    String.format(Locale.ROOT, "%.2f", cpu.median()),
                    number(allocated.median()),
                    String.format(Locale.ROOT, "%.2f", foreign.median()));
            Map<String, Object> figure = new LinkedHashMap<>();
            figure.put("messages-per-second", rate.toMap());
            figure.put("spread", spread(rate));
            figure.put("all-messages-per-second", all.stream().map(each -> each.outcome().messagesPerSecond()).toList());
            figure.put("cpu-micros-per-delivery", cpu.toMap());
            figure.put("allocated-bytes-per-delivery", allocated.toMap());
            figure.put("deliveries-to-others", others.toMap());
            figure.put("deliveries-to-self", own.toMap());
            figure.put("jit-millis", summary(all, each -> each.outcome().usage().jitMillis()).toMap());
            figure.put("gc-millis", summary(all, each -> each.outcome().usage().gcMillis()).toMap());
            figure.put("messages-per-packet", summary(all, each -> perPacket(each.outcome())).toMap());
            figure.put("foreign-cores", foreign.toMap());
            figures.put(system.toString(), figure);
        });
        output.put("systems", figures);
        output.print(table);
        compare(results);
    }

    /** How far the repetitions are apart, of their median. */
    private static double spread(Summary rate) {
        return (rate.max() - rate.min()) / rate.median();
    }

    /** How the figures of the requirements for total order read. */
    private void compareOrders(Map<SystemKind, List<Repetition>> results) {
        compare(results, SystemKind.TUTTI_ROTATION, SystemKind.TUTTI, ROTATION_MIN, mode.equals("n-n"));
        compare(results, SystemKind.TUTTI_SEQUENCER, SystemKind.JGROUPS_SEQUENCER, SEQUENCER_MIN, true);
        compare(results, SystemKind.TUTTI_ROTATION, SystemKind.JGROUPS_SEQUENCER, SEQUENCER_MIN, mode.equals("n-n"));
    }

    private void compare(
            Map<SystemKind, List<Repetition>> results, SystemKind one, SystemKind other, double min, boolean isBound) {
        List<Repetition> ones = results.get(one);
        List<Repetition> others = results.get(other);
        if (ones == null || others == null) {
            return;
        }
        double factor = summary(ones, each -> each.outcome().messagesPerSecond()).median()
                / summary(others, each -> each.outcome().messagesPerSecond()).median();
        output.put(one + "/" + other, factor);
        String text = String.format(Locale.ROOT, "%s %.2f times the rate of %s", one, factor, other);
        if (isBound && members == 4 && size.bytes() == 1024) {
            output.bound(text + ", at least " + min, factor >= min);
        } else {
            output.print(text);
        }
    }

    private void compare(Map<SystemKind, List<Repetition>> results) {
        compareOrders(results);
        compareToTcp(results);
        compareMulticast(results);
        List<Repetition> reference = results.get(SystemKind.JGROUPS);
        List<Repetition> own = results.getOrDefault(SystemKind.TUTTI, results.get(SystemKind.TUTTI_INLINE));
        if (reference == null || own == null) {
            return;
        }
        double factor = summary(own, each -> each.outcome().messagesPerSecond()).median()
                / summary(reference, each -> each.outcome().messagesPerSecond()).median();
        output.put("factor", factor);
        String text = String.format(Locale.ROOT, "%.2f times the rate of JGroups", factor);
        if (members == 4 && mode.equals("n-n") && size.bytes() == 1024) {
            output.bound(text + ", at least " + FACTOR_MIN, factor >= FACTOR_MIN);
        } else {
            output.print(text);
        }
    }

    private void compareToTcp(Map<SystemKind, List<Repetition>> results) {
        List<Repetition> stream = results.get(SystemKind.TUTTI);
        List<Repetition> multicast = results.get(SystemKind.TUTTI_UDP);
        if (stream == null || multicast == null) {
            return;
        }
        Summary rate = summary(multicast, each -> each.outcome().messagesPerSecond());
        double factor = summary(stream, each -> each.outcome().messagesPerSecond()).median() / rate.median();
        output.put("tcp-to-multicast", factor);
        String text = String.format(
                Locale.ROOT, "TCP is %.2f times as fast as multicast, whose spread is %.0f %%", factor, 100 * spread(rate));
        if (mode.equals("n-n") && size.bytes() == 1024 && (members == 4 || members == 8)) {
            output.bound(
                    text + "; at most " + TCP_FACTOR_MAX + ", below " + number(100 * SPREAD_MAX) + " %",
                    factor <= TCP_FACTOR_MAX && spread(rate) < SPREAD_MAX);
        } else {
            output.print(text);
        }
    }

    private void compareMulticast(Map<SystemKind, List<Repetition>> results) {
        List<Repetition> reference = results.get(SystemKind.JGROUPS_UDP);
        List<Repetition> own = results.get(SystemKind.TUTTI_UDP);
        if (reference == null || own == null) {
            return;
        }
        double factor = summary(own, each -> each.outcome().messagesPerSecond()).median()
                / summary(reference, each -> each.outcome().messagesPerSecond()).median();
        output.put("multicast-factor", factor);
        output.print(String.format(Locale.ROOT, "%.2f times the rate of JGroups on UDP", factor));
    }

    private static double perPacket(Outcome outcome) {
        return (double) outcome.sent() / Math.max(1, outcome.packets());
    }

    private static double cpuMicros(Outcome outcome) {
        return outcome.usage().cpuNanos() / 1e3 / Math.max(1, outcome.deliveries());
    }

    private static Summary summary(List<Repetition> all, ToDoubleFunction<Repetition> figure) {
        return Summary.of(all.stream().map(figure::applyAsDouble).toList());
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }
}
