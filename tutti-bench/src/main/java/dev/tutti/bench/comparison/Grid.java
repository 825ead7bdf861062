package dev.tutti.bench.comparison;

import dev.tutti.bench.comparison.Trials.Trial;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Rounds;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.report.Chart;
import dev.tutti.bench.report.Summary;
import dev.tutti.bench.report.Table;
import dev.tutti.bench.systems.SystemKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Loads that were measured, with their tables and plots. */
public final class Grid {

    private static final double MEBIBYTE = 1 << 20;

    private static final List<String> FIGURES = List.of(
            "messages/s min", "median", "max", "spread", "MiB/s", "to others", "to self", "CPU µs/delivery", "B/delivery",
            "others' cores");

    private final Output output;
    private final Map<Load, Map<SystemKind, Trials>> all = new LinkedHashMap<>();
    private final List<Object> figures = new ArrayList<>();

    private Grid(Output output) {
        this.output = output;
    }

    /** Measures all loads; prints and plots them before it returns. */
    public static Grid measure(Axes axes, List<SystemKind> systems, Rounds rounds, Layout layout, Output output) {
        output.put("repetitions", rounds.repetitions());
        output.put("warmup-millis", rounds.warmup().toMillis());
        output.put("time-millis", rounds.time().toMillis());
        Comparison comparison = new Comparison(output, rounds, layout, axes.count());
        Grid grid = new Grid(output);
        Set<Load> loads = axes.loads(rounds.isShort());
        for (Load load : loads) {
            if (loads.size() == 1) {
                output.note(load + "; " + rounds);
            } else {
                output.print(load + "; " + rounds);
            }
            grid.add(load, comparison.run(load, systems));
            output.save();
        }
        grid.finish();
        return grid;
    }

    /** Adds the results of a load, and judges them. */
    private void add(Load load, Map<SystemKind, Trials> results) {
        all.put(load, results);
        Map<String, Object> systems = new LinkedHashMap<>();
        results.forEach((system, trials) -> systems.put(system.toString(), trials.toMap()));
        Map<String, Object> figure = new LinkedHashMap<>();
        figure.put("pattern", load.pattern());
        figure.put("senders", load.senders());
        figure.put("members", load.members());
        figure.put("threads", load.threads());
        figure.put("bytes", load.bytes());
        figure.putAll(new Goals(output, load, results).judge());
        figure.put("systems", systems);
        figures.add(figure);
        output.put("results", figures);
        if (all.size() == 1) {
            figure.forEach(output::put);
        }
    }

    private void finish() {
        output.print(table());
        plot("threads", load -> (long) load.threads(), String::valueOf, load -> rest(load, "members", "size"));
        plot("size", load -> (long) load.bytes(), Load::print, load -> rest(load, "members", "threads"));
        plot("members", load -> (long) load.members(), String::valueOf, load -> rest(load, "size", "threads"));
    }

    /** Returns a table with a column for each part of the load that varies. */
    private Table table() {
        Map<String, Function<Load, String>> parts = new LinkedHashMap<>();
        parts.put("pattern", Load::pattern);
        parts.put("members", load -> String.valueOf(load.members()));
        parts.put("size", load -> Load.print(load.bytes()));
        parts.put("threads", load -> String.valueOf(load.threads()));
        parts.values().removeIf(part -> all.keySet().stream().map(part).distinct().count() < 2);
        List<String> titles = new ArrayList<>(List.of("system"));
        titles.addAll(parts.keySet());
        titles.addAll(FIGURES);
        Table table = new Table(titles.toArray(new String[0]));
        all.forEach((load, results) -> results.forEach((system, trials) -> {
            List<Object> cells = new ArrayList<>(List.of(system));
            parts.values().forEach(part -> cells.add(part.apply(load)));
            cells.addAll(trials.counts() ? cells(load, trials) : none(system));
            table.row(cells.toArray());
        }));
        return table;
    }

    private static List<String> cells(Load load, Trials trials) {
        Summary rate = trials.rate();
        return List.of(
                number(rate.min()),
                number(rate.median()),
                number(rate.max()),
                String.format(Locale.ROOT, "%.0f %%", 100 * trials.spread()),
                String.format(Locale.ROOT, "%,.1f", rate.median() * load.bytes() / MEBIBYTE),
                number(trials.summary(each -> each.outcome().others()).median()),
                number(trials.summary(each -> each.outcome().own()).median()),
                String.format(Locale.ROOT, "%.2f", trials.cpuMicros().median()),
                number(trials.summary(Trial::allocatedBytes).median()),
                String.format(Locale.ROOT, "%.2f", trials.summary(Trial::foreignCores).median()));
    }

    private static List<String> none(SystemKind system) {
        List<String> cells = new ArrayList<>(Collections.nCopies(FIGURES.size(), "–"));
        cells.set(1, system.isOwn() ? "failed" : "disqualified");
        return cells;
    }

    private static String rest(Load load, String... parts) {
        StringBuilder text = new StringBuilder(load.pattern());
        for (String part : parts) {
            text.append(switch (part) {
                case "members" -> ", " + load.members() + " members";
                case "size" -> ", " + Load.print(load.bytes());
                default -> load.threads() == 1 ? "" : ", " + load.threads() + " threads";
            });
        }
        return text.toString();
    }

    /** Plots over one axis, for every value of the others. */
    private void plot(
            String axis, ToLong place, Function<Long, String> placeName, Function<Load, String> group) {
        Set<String> groups = new LinkedHashSet<>();
        all.keySet().forEach(load -> groups.add(group.apply(load)));
        for (String name : groups) {
            Chart.Builder rates = new Chart.Builder("messages/s: " + name, axis, "messages/s", true);
            Chart.Builder bandwidths = new Chart.Builder("bandwidth: " + name, axis, "MiB/s", axis.equals("size"));
            Chart.Builder cpu = new Chart.Builder("CPU per delivery: " + name, axis, "µs", axis.equals("size"));
            all.forEach((load, results) -> {
                if (group.apply(load).equals(name)) {
                    long at = place.of(load);
                    add(rates, results, at, placeName, trials -> trials.rate().median());
                    add(bandwidths, results, at, placeName, trials -> trials.rate().median() * load.bytes() / MEBIBYTE);
                    add(cpu, results, at, placeName, trials -> trials.cpuMicros().median());
                }
            });
            output.chart(rates);
            output.chart(bandwidths);
            output.chart(cpu);
        }
    }

    private interface ToLong {
        long of(Load load);
    }

    private static void add(
            Chart.Builder chart,
            Map<SystemKind, Trials> results,
            long place,
            Function<Long, String> placeName,
            ToDoubleFunction<Trials> value) {
        results.forEach((system, trials) -> {
            if (trials.counts()) {
                chart.add(system.toString(), place, placeName.apply(place), value.applyAsDouble(trials));
            }
        });
    }

    // ------------------------------------------------------------------ what only several loads show

    /** Judges the least rate with any number of threads, as a part of the rate with the fewest. */
    public void judgeThreads() {
        double least = Double.MAX_VALUE;
        double first = 0;
        for (var each : all.entrySet()) {
            Trials trials = each.getValue().get(SystemKind.TUTTI);
            if (trials != null && trials.counts()) {
                double rate = trials.rate().median();
                first = first == 0 ? rate : first;
                least = Math.min(least, rate);
            }
        }
        if (first > 0) {
            output.put("threads-ratio", least / first);
            output.bound(
                    String.format(
                            Locale.ROOT,
                            "with any number of threads at least %.2f of the rate with the fewest, at least %.1f",
                            least / first,
                            THREADS_MIN),
                    least / first >= THREADS_MIN);
        }
    }

    /** Judges whether every load was delivered completely. */
    public void judgeWhole() {
        boolean isWhole = all.values().stream()
                .flatMap(results -> results.values().stream())
                .allMatch(Trials::counts);
        output.bound("every load was delivered whole and in order by processes with this heap", isWhole);
    }

    /** Judges by how much the rate of all members together falls when there are many. */
    public void judgeScaling() {
        Map<SystemKind, List<Double>> delivered = new LinkedHashMap<>();
        all.forEach((load, results) -> results.forEach((system, trials) -> {
            if (trials.counts()) {
                delivered.computeIfAbsent(system, key -> new ArrayList<>())
                        .add(trials.summary(each -> each.outcome().deliveries() * 1e9 / each.outcome().nanos()).median());
            }
        }));
        delivered.forEach((system, values) -> {
            double fall = values.getFirst() / values.getLast();
            output.put("fall-" + system, fall);
            String text = String.format(
                    Locale.ROOT, "%s: what all receive together falls by %.2f from the fewest members to the most", system, fall);
            if (system == SystemKind.TUTTI) {
                output.bound(String.format(Locale.ROOT, "%s, below %.1f", text, FALL_MAX), fall < FALL_MAX);
            } else {
                output.note(text);
            }
        });
    }

    /** Least part of the rate; repetitions alone differ by the rest. */
    private static final double THREADS_MIN = 0.9;

    private static final double FALL_MAX = 2.5;

    public static String number(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }
}
