package dev.tutti.bench.commands;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.comparison.Grid;
import dev.tutti.bench.comparison.Load;
import dev.tutti.bench.options.MemberCounts;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Rounds;
import dev.tutti.bench.options.Systems;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.process.BenchCluster.Outcome;
import dev.tutti.bench.process.BenchCluster.Phase;
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
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** One-way times of multicasts at a fixed rate. */
@Command(
        name = "latency",
        mixinStandardHelpOptions = true,
        description = {
            "One-way times of multicasts at a fixed rate.",
            "From one member to all others. A message that waits behind another counts from when it was due, so that a stall"
                    + " shows in all that it held up.",
        },
        footer = {"", "Examples:", "  tutti bench latency", "  tutti bench latency --systems tutti,tutti-inline --rate 5000"})
final class LatencyCommand implements Callable<Integer> {

    /** Greatest ratio to the times of bare sockets. */
    private static final double LIMIT_MAX = 2;

    /** Greatest ratio of a single sender's median under total order by a sequencer to that under FIFO. */
    private static final double SEQUENCER_MAX = 2.5;

    private static final double P99 = 99;
    private static final double MEDIAN = 50;

    /** Number of warm-ups at full speed: at a low rate the compiler would take minutes to find the hot code. */
    private static final int FAST_WARMUPS = 4;

    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final Rounds rounds = new Rounds();

    @Mixin
    private final MemberCounts members = new MemberCounts();

    @Mixin
    private final Systems systems = new Systems();

    @Option(
            names = "--rate",
            paramLabel = "N",
            split = ",",
            defaultValue = "1000,10000",
            description = "Multicasts per second. Default: ${DEFAULT-VALUE}.")
    private List<Integer> rates = List.of();

    @Option(names = "--size", paramLabel = "SIZE", defaultValue = "1KiB", description = "Default: ${DEFAULT-VALUE}.")
    private Size size = Size.kibibytes(1);

    static Map<String, String> defaults() {
        return Map.of(
                "--systems", "tutti,tutti-inline,jgroups-tuned,limit",
                "--repetitions", "3",
                "--warmup", "40s",
                "--time", "5s");
    }

    @Override
    public Integer call() {
        output.title("One-way times at a fixed rate, " + members.count() + " members, " + Load.print(size.bytes()));
        measure(output);
        return output.finish();
    }

    private void measure(Output to) {
        Layout layout = to.layoutHere("512m");
        List<Object> results = new ArrayList<>();
        Table table = new Table(columns());
        for (int rate : rates) {
            Map<SystemKind, Histogram> times = measure(to, layout, rate);
            Map<String, Object> figures = new LinkedHashMap<>();
            Chart.Builder chart =
                    new Chart.Builder("one-way times at " + Grid.number(rate) + "/s", "percentile", "µs", true);
            times.forEach((system, histogram) -> {
                List<Object> cells = new ArrayList<>(List.of(system, Grid.number(rate)));
                cells.addAll(Latencies.row(histogram));
                table.row(cells.toArray());
                figures.put(system.toString(), Latencies.toMap(histogram));
                Latencies.addTo(chart, system.toString(), histogram);
            });
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("rate", rate);
            result.put("systems", figures);
            judge(to, rate, times, result);
            results.add(result);
            to.put("results", results);
            to.chart(chart);
            to.save();
        }
        to.print(table);
    }

    private static String[] columns() {
        List<String> columns = new ArrayList<>(List.of("system", "messages/s"));
        Latencies.PERCENTILES.keySet().forEach(name -> columns.add(name + " µs"));
        return columns.toArray(new String[0]);
    }

    private Map<SystemKind, Histogram> measure(Output to, Layout layout, int rate) {
        Map<SystemKind, Histogram> times = new LinkedHashMap<>();
        Set<SystemKind> out = new TreeSet<>();
        for (int repetition = 1; repetition <= rounds.repetitions(); repetition++) {
            for (SystemKind system : systems.all()) {
                if (out.contains(system)) {
                    continue;
                }
                try {
                    Histogram some = multicasts(system, layout, rate);
                    times.computeIfAbsent(system, key -> Latencies.histogram()).add(some);
                    to.progress(String.format(
                            Locale.ROOT,
                            "%d/%d %-15s %,d/s: median %s µs, p99 %s, max %s; load %s",
                            repetition,
                            rounds.repetitions(),
                            system,
                            rate,
                            Latencies.printMicros(some, MEDIAN),
                            Latencies.printMicros(some, P99),
                            Latencies.printMicros(some, 100),
                            Machine.load()));
                } catch (BenchException e) {
                    out.add(system);
                    times.remove(system);
                    String what = system + ", " + rate + "/s: " + e.getMessage();
                    if (system.isOwn()) {
                        to.fail(what);
                    } else {
                        to.disqualify(what);
                    }
                }
            }
        }
        return times;
    }

    private Histogram multicasts(SystemKind system, Layout layout, int rate) {
        try (BenchCluster cluster = new BenchCluster(system, members.count(), layout)) {
            cluster.form();
            int bytes = Math.toIntExact(size.bytes());
            Duration interval = Duration.ofSeconds(1).dividedBy(rate);
            Duration warmup = rounds.warmup().dividedBy(2);
            for (int number = 1; number <= FAST_WARMUPS; number++) {
                verify(cluster.run(new Phase(
                        number, 1, bytes, warmup.dividedBy(FAST_WARMUPS), Duration.ZERO, Duration.ZERO)));
            }
            verify(cluster.run(new Phase(FAST_WARMUPS + 1, 1, bytes, warmup, interval, Duration.ZERO)));
            verify(cluster.run(new Phase(FAST_WARMUPS + 2, 1, bytes, rounds.time(), interval, Duration.ZERO)));
            List<Histogram> all = new ArrayList<>();
            for (Child child : cluster.children()) {
                all.add(Latencies.parse(
                        child.say(Line.of("latencies")).await("latencies", ANSWER_MAX).text("nanos")));
            }
            return Latencies.sum(all);
        }
    }

    private static void verify(Outcome outcome) {
        outcome.faults().forEach(fault -> {
            throw new BenchException(fault);
        });
    }

    private void judge(Output to, int rate, Map<SystemKind, Histogram> times, Map<String, Object> result) {
        Histogram own = times.get(SystemKind.TUTTI);
        if (own == null) {
            return;
        }
        double p99 = Latencies.micros(own, P99);
        String text = String.format(Locale.ROOT, "%,d/s: p99 %,.1f µs", rate, p99);
        Histogram limit = times.get(SystemKind.LIMIT);
        if (limit != null) {
            double ratio = p99 / Latencies.micros(limit, P99);
            result.put("limit-ratio", ratio);
            to.bound(
                    String.format(Locale.ROOT, "%s, %.2f of that of bare sockets, at most %.1f", text, ratio, LIMIT_MAX),
                    ratio <= LIMIT_MAX);
        }
        double reference = times.entrySet().stream()
                .filter(each -> each.getKey().family().equals("jgroups"))
                .mapToDouble(each -> Latencies.micros(each.getValue(), P99))
                .min()
                .orElse(0);
        if (reference > 0) {
            result.put("ratio", p99 / reference);
            to.bound(
                    String.format(Locale.ROOT, "%s, below that of the reference, %,.1f µs", text, reference),
                    p99 < reference);
        }
        Histogram total = times.get(SystemKind.TUTTI_SEQUENCER);
        if (total != null) {
            double factor = Latencies.micros(total, MEDIAN) / Latencies.micros(own, MEDIAN);
            result.put("factor", factor);
            to.bound(
                    String.format(
                            Locale.ROOT,
                            "%,d/s: %s %.2f times the median of %s, at most %.1f",
                            rate,
                            SystemKind.TUTTI_SEQUENCER,
                            factor,
                            SystemKind.TUTTI,
                            SEQUENCER_MAX),
                    factor <= SEQUENCER_MAX);
        }
    }
}
