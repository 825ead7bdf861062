package dev.tutti.bench.commands;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.comparison.Load;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Rounds;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.process.Child;
import dev.tutti.bench.process.Line;
import dev.tutti.bench.report.Chart;
import dev.tutti.bench.report.Latencies;
import dev.tutti.bench.report.Machine;
import dev.tutti.bench.report.Table;
import dev.tutti.bench.systems.SystemKind;
import dev.tutti.core.settings.Size;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.HdrHistogram.Histogram;

/** Round trips between two members, one at a time, by size and by where the two processes run. */
final class RoundTrips {

    /** Greatest ratio of medians to that of a bare socket, for messages of 64 B. */
    private static final double LIMIT_MAX = 3;

    private static final int BOUND_BYTES = 64;
    private static final double MEDIAN = 50;
    private static final double P99 = 99;
    private static final Duration PING_MAX = Duration.ofSeconds(10);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(30);

    /** Cores of the processes, on which the time of a round trip depends by a factor of four. */
    enum Placement {
        /** Both on one core. */
        ONE(List.of(0)),
        /** Each on a core of its own. */
        TWO(List.of(0, 1)),
        /** On any cores, as the operating system chooses. */
        ANY(List.of());

        private final List<Integer> cores;

        Placement(List<Integer> cores) {
            this.cores = cores;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private record Series(Placement placement, int bytes) {}

    private final Output output;
    private final Rounds rounds;
    private final List<SystemKind> systems;
    private final List<Integer> sizes;
    private final List<Placement> placements;
    private final Map<Series, Map<SystemKind, Histogram>> times = new LinkedHashMap<>();

    RoundTrips(Output output, Rounds rounds, List<SystemKind> systems, List<Size> sizes, List<Placement> placements) {
        this.output = output;
        this.rounds = rounds;
        this.systems = systems;
        this.sizes = sizes.stream().map(size -> Math.toIntExact(size.bytes())).toList();
        this.placements = placements;
        for (SystemKind system : systems) {
            if (!system.hasUnicast()) {
                throw new BenchException(system + " has no messages to one member");
            }
        }
    }

    /** @param isOneProcess both members in one process */
    void measure(boolean isOneProcess) {
        Layout plain = output.layout("512m");
        Set<SystemKind> out = new TreeSet<>();
        for (int repetition = 1; repetition <= rounds.repetitions(); repetition++) {
            for (Placement placement : placements) {
                for (SystemKind system : systems) {
                    if (!out.contains(system)) {
                        List<Integer> cores = placement.cores.isEmpty() ? plain.cores() : placement.cores;
                        try {
                            measure(plain.with(isOneProcess, cores), placement, system, repetition);
                        } catch (BenchException e) {
                            out.add(system);
                            times.values().forEach(each -> each.remove(system));
                            drop(system, String.valueOf(e.getMessage()));
                        }
                    }
                }
            }
        }
        report();
    }

    private void drop(SystemKind system, String why) {
        if (system.isOwn()) {
            output.fail(system + ": " + why);
        } else {
            output.disqualify(system + ": " + why);
        }
    }

    /** Measures all sizes in one pair of processes. */
    private void measure(Layout layout, Placement placement, SystemKind system, int repetition) {
        try (BenchCluster cluster = new BenchCluster(system, 2, layout)) {
            cluster.form();
            for (int bytes : sizes) {
                ping(cluster, bytes, rounds.warmup());
                Histogram some = ping(cluster, bytes, rounds.time());
                times.computeIfAbsent(new Series(placement, bytes), key -> new LinkedHashMap<>())
                        .computeIfAbsent(system, key -> Latencies.histogram())
                        .add(some);
                output.progress(String.format(
                        Locale.ROOT,
                        "%d/%d %-16s %-3s %8s: median %s µs, p99 %s, %,d round trips; load %s",
                        repetition,
                        rounds.repetitions(),
                        system,
                        placement,
                        Load.print(bytes),
                        Latencies.printMicros(some, MEDIAN),
                        Latencies.printMicros(some, P99),
                        some.getTotalCount(),
                        Machine.load()));
            }
        }
    }

    private static Histogram ping(BenchCluster cluster, int bytes, Duration time) {
        Child first = cluster.children().getFirst();
        Child second = cluster.children().getLast();
        Line ping = Line.of("ping").with("size", bytes).with("timeout", time.plus(PING_MAX).toNanos());
        second.say(ping).await("answering", ANSWER_MAX);
        Line pinged = first.say(ping.to(0).with("to", second.rank()).with("time", time.toNanos()))
                .await("pinged", time.plus(ANSWER_MAX));
        second.await("answered", ANSWER_MAX);
        return Latencies.parse(pinged.text("nanos"));
    }

    private void report() {
        List<String> columns = new ArrayList<>(List.of("system", "cores", "size"));
        Latencies.PERCENTILES.keySet().forEach(name -> columns.add(name + " µs"));
        columns.add("MiB/s");
        Table table = new Table(columns.toArray(new String[0]));
        List<Object> results = new ArrayList<>();
        times.forEach((series, all) -> {
            Map<String, Object> figures = new LinkedHashMap<>();
            all.forEach((system, histogram) -> {
                List<Object> cells = new ArrayList<>(List.of(system, series.placement, Load.print(series.bytes)));
                cells.addAll(Latencies.row(histogram));
                cells.add(String.format(Locale.ROOT, "%,.1f", bandwidth(series.bytes, histogram)));
                table.row(cells.toArray());
                figures.put(system.toString(), Latencies.toMap(histogram));
            });
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("cores", series.placement.toString());
            result.put("bytes", series.bytes);
            result.put("systems", figures);
            judge(series, all, result);
            results.add(result);
        });
        output.put("results", results);
        output.print(table);
        placements.forEach(this::plot);
    }

    /** Returns the MiB per second of one way, which takes half of the median round trip. */
    private static double bandwidth(int bytes, Histogram histogram) {
        double seconds = Latencies.micros(histogram, MEDIAN) / 2e6;
        return seconds == 0 ? 0 : bytes / seconds / (1 << 20);
    }

    private void plot(Placement placement) {
        String where = ", cores: " + placement;
        Chart.Builder medians = new Chart.Builder("round trip, median" + where, "size", "µs", true);
        Chart.Builder tails = new Chart.Builder("round trip, p99" + where, "size", "µs", true);
        Chart.Builder bandwidths = new Chart.Builder("bandwidth" + where, "size", "MiB/s", true);
        times.forEach((series, all) -> {
            if (series.placement != placement) {
                return;
            }
            String size = Load.print(series.bytes);
            Chart.Builder percentiles =
                    new Chart.Builder("round trip of " + size + where, "percentile", "µs", true);
            all.forEach((system, histogram) -> {
                String name = system.toString();
                medians.add(name, series.bytes, size, Latencies.micros(histogram, MEDIAN));
                tails.add(name, series.bytes, size, Latencies.micros(histogram, P99));
                bandwidths.add(name, series.bytes, size, bandwidth(series.bytes, histogram));
                Latencies.addTo(percentiles, name, histogram);
            });
            if (series.bytes == sizes.getFirst()) {
                output.chart(percentiles);
            }
        });
        output.chart(medians);
        output.chart(tails);
        output.chart(bandwidths);
    }

    private void judge(Series series, Map<SystemKind, Histogram> all, Map<String, Object> result) {
        Histogram own = all.get(SystemKind.TUTTI);
        if (own == null) {
            return;
        }
        double median = Latencies.micros(own, MEDIAN);
        String text = String.format(
                Locale.ROOT, "%s, cores: %s: median %,.1f µs", Load.print(series.bytes), series.placement, median);
        Histogram limit = all.get(SystemKind.LIMIT_PAIR);
        if (limit != null) {
            double ratio = median / Latencies.micros(limit, MEDIAN);
            result.put("limit-ratio", ratio);
            String line = String.format(Locale.ROOT, "%s, %.2f times that of a bare socket", text, ratio);
            if (series.bytes == BOUND_BYTES) {
                output.bound(String.format(Locale.ROOT, "%s, at most %.1f", line, LIMIT_MAX), ratio <= LIMIT_MAX);
            } else {
                output.note(line);
            }
        }
        all.forEach((system, histogram) -> {
            if (system.family().equals("jgroups")) {
                double ratio = median / Latencies.micros(histogram, MEDIAN);
                result.put(system + "-ratio", ratio);
                output.note(String.format(Locale.ROOT, "%s, %.2f times that of %s", text, ratio, system));
            }
        });
    }
}
