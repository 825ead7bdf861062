package dev.tutti.bench.commands;

import dev.tutti.bench.comparison.Grid;
import dev.tutti.bench.options.MemberCounts;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Systems;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.report.Machine;
import dev.tutti.bench.report.Summary;
import dev.tutti.bench.report.Table;
import dev.tutti.bench.systems.SystemKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Time from the start of a process to the view of all. */
@Command(
        name = "startup",
        mixinStandardHelpOptions = true,
        description = {
            "From the start of the processes to the view of all.",
            "The start of the JVMs included: all at the same time, and each when the one before has joined.",
        },
        footer = {"", "Examples:", "  tutti bench startup", "  tutti bench startup --members 8 --systems tutti,jgroups"})
final class StartupCommand implements Callable<Integer> {

    private static final double RATIO_MAX = 0.5;
    private static final Duration VIEW_MAX = Duration.ofSeconds(120);

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final MemberCounts members = new MemberCounts();

    @Mixin
    private final Systems systems = new Systems();

    @Option(
            names = "--repetitions",
            paramLabel = "N",
            defaultValue = "6",
            description = "Of each system. Default: ${DEFAULT-VALUE}.")
    private int repetitions;

    @Option(names = "--short", description = "A single repetition.")
    private boolean isShort;

    private record Way(SystemKind system, boolean isOneByOne) {}

    @Override
    public Integer call() {
        output.title("From process to full view, " + members.count() + " members");
        measure(output);
        return output.finish();
    }

    private void measure(Output to) {
        Layout layout = to.startLayout("512m");
        int count = isShort ? 1 : repetitions;
        Map<Way, List<Double>> results = new LinkedHashMap<>();
        for (int repetition = 1; repetition <= count; repetition++) {
            for (boolean isOneByOne : new boolean[] {false, true}) {
                for (SystemKind system : systems.all()) {
                    double millis = start(system, layout, isOneByOne);
                    results.computeIfAbsent(new Way(system, isOneByOne), key -> new ArrayList<>())
                            .add(millis);
                    to.progress(String.format(
                            Locale.ROOT, "%d/%d %s %s: %,.0f ms; load %s", repetition, count, system,
                            name(isOneByOne), millis, Machine.load()));
                }
            }
        }
        report(to, results);
    }

    private static String name(boolean isOneByOne) {
        return isOneByOne ? "one by one" : "all at once";
    }

    private double start(SystemKind system, Layout layout, boolean isOneByOne) {
        try (BenchCluster cluster = BenchCluster.start(system, members.count(), layout, isOneByOne)) {
            long last = BenchCluster.awaitView(cluster.children(), members.count(), VIEW_MAX);
            return (last - cluster.startedAtNanos()) / 1e6;
        }
    }

    private void report(Output to, Map<Way, List<Double>> results) {
        Table table = new Table("system", "start", "ms min", "median", "max");
        Map<String, Object> figures = new LinkedHashMap<>();
        results.forEach((way, millis) -> {
            Summary summary = Summary.of(millis);
            table.row(
                    way.system,
                    name(way.isOneByOne),
                    Grid.number(summary.min()),
                    Grid.number(summary.median()),
                    Grid.number(summary.max()));
            figures.put(way.system + " " + name(way.isOneByOne), summary.toMap());
        });
        to.put("members", members.count());
        to.put("millis", figures);
        to.print(table);
        for (boolean isOneByOne : new boolean[] {false, true}) {
            List<Double> own = results.get(new Way(SystemKind.TUTTI, isOneByOne));
            double reference = results.keySet().stream()
                    .filter(way -> way.isOneByOne == isOneByOne && way.system.family().equals("jgroups"))
                    .mapToDouble(way -> Summary.of(Objects.requireNonNull(results.get(way))).median())
                    .min()
                    .orElse(0);
            if (own != null && reference > 0) {
                double ratio = Summary.of(own).median() / reference;
                to.put(isOneByOne ? "one-by-one-ratio" : "ratio", ratio);
                to.bound(
                        String.format(
                                Locale.ROOT, "%s: %.2f of the time of the reference, at most %.1f", name(isOneByOne), ratio,
                                RATIO_MAX),
                        ratio <= RATIO_MAX);
            }
        }
    }
}
