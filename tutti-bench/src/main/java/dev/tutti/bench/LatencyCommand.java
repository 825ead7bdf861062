package dev.tutti.bench;

import dev.tutti.bench.Cluster.Outcome;
import dev.tutti.bench.Cluster.Phase;
import dev.tutti.core.settings.Durations;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Round trips of unicasts, and one-way times of multicasts at a fixed rate. */
@Command(
        name = "latency",
        mixinStandardHelpOptions = true,
        description = {
            "Round trips of 64 B between two members, one at a time; and one-way times of 1 KiB from one member to all",
            "others at a fixed rate. A message that waits behind another counts from when it was due.",
        },
        footer = {"", "Examples:", "  tutti bench latency", "  tutti bench latency --systems tutti,tutti-inline --rate 5000"})
final class LatencyCommand implements Callable<Integer> {

    private static final int PING_BYTES = 64;
    private static final int MULTICAST_BYTES = 1024;
    private static final Duration PING_MAX = Duration.ofSeconds(10);
    private static final Duration ALL_PINGS_MAX = Duration.ofMinutes(5);

    /** How long the pinged member of a system without threads is available. */
    private static final Duration ANSWER = Duration.ofSeconds(4);

    @Mixin
    private final Output output = new Output();

    @Option(
            names = "--members",
            paramLabel = "N",
            defaultValue = "4",
            description = "Processes. Default: ${DEFAULT-VALUE}.")
    private int members;

    @Option(names = "--systems", paramLabel = "SYSTEM", split = ",", defaultValue = "tutti,tutti-inline,jgroups,limit",
            description = "Default: ${DEFAULT-VALUE}.")
    private List<SystemKind> systems = List.of();

    @Option(
            names = "--repetitions",
            paramLabel = "N",
            defaultValue = "3",
            description = "Of each system. Default: ${DEFAULT-VALUE}.")
    private int repetitions;

    @Option(
            names = "--pings",
            paramLabel = "N",
            defaultValue = "20000",
            description = "Measured round trips, after as many. Default: ${DEFAULT-VALUE}.")
    private int pings;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Multicasts per second. Default: ${DEFAULT-VALUE}.")
    private int rate;

    @Option(
            names = "--warmup",
            paramLabel = "DURATION",
            defaultValue = "3s",
            description = "Multicasts before it counts. Default: ${DEFAULT-VALUE}.")
    private Duration warmup = Duration.ZERO;

    @Option(
            names = "--time",
            paramLabel = "DURATION",
            defaultValue = "5s",
            description = "Measured multicasts. Default: ${DEFAULT-VALUE}.")
    private Duration time = Duration.ZERO;

    private static final class Samples {
        long[] roundTrips = new long[0];
        long[] multicasts = new long[0];

        static long[] append(long[] first, long[] second) {
            return LongStream.concat(Arrays.stream(first), Arrays.stream(second)).toArray();
        }
    }

    @Override
    public Integer call() {
        output.put("members", members);
        output.put("rate", rate);
        output.print("latency, " + members + " processes, " + repetitions + " repetitions of " + pings
                + " round trips and of " + Durations.print(time) + " at " + rate + " multicasts/s");
        Map<SystemKind, Samples> results = new LinkedHashMap<>();
        for (int repetition = 1; repetition <= repetitions; repetition++) {
            for (SystemKind system : systems) {
                Samples samples = results.computeIfAbsent(system, key -> new Samples());
                long[] roundTrips = roundTrips(system);
                long[] multicasts = multicasts(system);
                output.progress(String.format(
                        Locale.ROOT,
                        "%d/%d %-12s round trip median %s µs, p99 %s; multicast median %s µs, p99 %s; load %s",
                        repetition,
                        repetitions,
                        system,
                        micros(roundTrips, 0.5),
                        micros(roundTrips, 0.99),
                        micros(multicasts, 0.5),
                        micros(multicasts, 0.99),
                        Machine.load()));
                samples.roundTrips = Samples.append(samples.roundTrips, roundTrips);
                samples.multicasts = Samples.append(samples.multicasts, multicasts);
            }
        }
        report(results);
        return output.finish();
    }

    private long[] roundTrips(SystemKind system) {
        try (Cluster cluster = new Cluster(system, 2, output.jvmOptions("512m"))) {
            cluster.form();
            Child first = cluster.children().getFirst();
            Child second = cluster.children().getLast();
            second.say(Line.of("ping").with("size", PING_BYTES));
            second.await("pinged", PING_MAX);
            if (system == SystemKind.LIMIT) {
                second.say(Line.of("ping").with("size", PING_BYTES).with("answer", ANSWER.toNanos()));
            }
            Line ping = Line.of("ping")
                    .with("size", PING_BYTES)
                    .with("to", 1)
                    .with("count", pings)
                    .with("timeout", PING_MAX.toNanos());
            first.say(ping).await("pinged", ALL_PINGS_MAX);
            return numbers(first.say(ping).await("pinged", ALL_PINGS_MAX));
        }
    }

    private long[] multicasts(SystemKind system) {
        try (Cluster cluster = new Cluster(system, members, output.jvmOptions("512m"))) {
            cluster.form();
            Duration interval = Duration.ofSeconds(1).dividedBy(rate);
            Outcome warm = cluster.run(new Phase(1, 1, MULTICAST_BYTES, warmup, interval, Duration.ZERO));
            Outcome measured = cluster.run(new Phase(2, 1, MULTICAST_BYTES, time, interval, Duration.ZERO));
            warm.faults().forEach(fault -> output.fail(system + ", warm-up: " + fault));
            measured.faults().forEach(fault -> output.fail(system + ": " + fault));
            long[] all = new long[0];
            for (Child child : cluster.children()) {
                all = Samples.append(all, numbers(child.say(Line.of("latencies")).await("latencies", PING_MAX)));
            }
            return all;
        }
    }

    private static long[] numbers(Line line) {
        String text = line.text("nanos");
        return text.isEmpty()
                ? new long[0]
                : Arrays.stream(text.split(",")).mapToLong(Long::parseLong).toArray();
    }

    private void report(Map<SystemKind, Samples> results) {
        Table table = new Table(
                "system", "round trip µs median", "p99", "p99.9", "max", "multicast µs median", "p99", "p99.9", "max");
        Map<String, Object> figures = new LinkedHashMap<>();
        results.forEach((system, samples) -> {
            table.row(
                    system,
                    micros(samples.roundTrips, 0.5),
                    micros(samples.roundTrips, 0.99),
                    micros(samples.roundTrips, 0.999),
                    micros(samples.roundTrips, 1),
                    micros(samples.multicasts, 0.5),
                    micros(samples.multicasts, 0.99),
                    micros(samples.multicasts, 0.999),
                    micros(samples.multicasts, 1));
            figures.put(
                    system.toString(),
                    Map.of("round-trip-nanos", quantiles(samples.roundTrips), "multicast-nanos",
                            quantiles(samples.multicasts)));
        });
        output.put("systems", figures);
        output.print(table);
        Samples fifo = results.get(SystemKind.TUTTI);
        Samples total = results.get(SystemKind.TUTTI_SEQUENCER);
        if (fifo != null && total != null) {
            double factor =
                    (double) Summary.quantile(total.multicasts, 0.5) / Summary.quantile(fifo.multicasts, 0.5);
            output.put("factor", factor);
            output.bound(
                    String.format(Locale.ROOT, "%s %.2f times the median of %s, at most %.1f",
                            SystemKind.TUTTI_SEQUENCER, factor, SystemKind.TUTTI, SEQUENCER_MAX),
                    factor <= SEQUENCER_MAX);
        }
    }

    /** Median one-way time of a single sender's multicasts under total order by a sequencer, against FIFO. */
    private static final double SEQUENCER_MAX = 2.5;

    private static Map<String, Object> quantiles(long[] nanos) {
        Map<String, Object> quantiles = new LinkedHashMap<>();
        quantiles.put("count", nanos.length);
        quantiles.put("median", Summary.quantile(nanos, 0.5));
        quantiles.put("p99", Summary.quantile(nanos, 0.99));
        quantiles.put("p99.9", Summary.quantile(nanos, 0.999));
        quantiles.put("max", Summary.quantile(nanos, 1));
        return quantiles;
    }

    private static String micros(long[] nanos, double fraction) {
        return String.format(Locale.ROOT, "%,.1f", Summary.quantile(nanos, fraction) / 1e3);
    }
}
