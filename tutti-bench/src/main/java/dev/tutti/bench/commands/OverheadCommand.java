package dev.tutti.bench.commands;

import dev.tutti.bench.comparison.Grid;
import dev.tutti.bench.options.MemberCounts;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Rounds;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.BenchCluster.Outcome;
import dev.tutti.bench.process.BenchCluster.Phase;
import dev.tutti.bench.process.Child;
import dev.tutti.bench.process.Line;
import dev.tutti.bench.report.Difference;
import dev.tutti.bench.report.Machine;
import dev.tutti.bench.report.Summary;
import dev.tutti.bench.report.Table;
import dev.tutti.bench.systems.SystemKind;
import dev.tutti.bench.watch.Watch;
import dev.tutti.bench.watch.Watchers;
import dev.tutti.core.settings.Size;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Cost of being watched by metrics or by the console. */
@Command(
        name = "overhead",
        mixinStandardHelpOptions = true,
        description = {
            "Cost of being watched, as a part of the rate at which all members multicast.",
            "The same members work unwatched, with metrics, unwatched, with an open console, unwatched, and so on: each phase is"
                    + " compared with the two beside it. Metrics: each member read once a second by Prometheus, Micrometer and the"
                    + " flight recorder, and registered with JMX. Console: one page that is told all, once a second.",
            "At full speed rates of neighbouring phases are far apart on a busy machine. With --rate all send as much as said, and"
                    + " what counts is the CPU of all members, as a share of the machine: what is taken from the rate where the CPU is"
                    + " its bound.",
        },
        footer = {"", "Examples:", "  tutti bench overhead", "  tutti bench overhead --repetitions 40 --time 2s --strict",
            "  tutti bench overhead --rate 5000"})
final class OverheadCommand implements Callable<Integer> {

    /** Greatest loss, as a part of the rate. */
    private static final double LOSS_MAX = 0.02;

    private static final Duration WATCH_MAX = Duration.ofSeconds(30);
    private static final Duration WARM_INTERVAL = Duration.ofMillis(20);

    /** Time to wait after watching begins, which costs more: the flight recorder starts, a page is sent everything. */
    private static final Duration SETTLE = Duration.ofMillis(1_500);

    private static final Duration SETTLE_SHORT = Duration.ofMillis(40);

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final Rounds rounds = new Rounds();

    @Mixin
    private final MemberCounts members = new MemberCounts();

    @Option(names = "--size", paramLabel = "SIZE", defaultValue = "1KiB", description = "Of a message. Default: ${DEFAULT-VALUE}.")
    private Size size = Size.kibibytes(1);

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "0",
            description = "Messages that each member sends in a second; 0 for as fast as possible. Default: ${DEFAULT-VALUE}.")
    private int rate;

    @Option(
            names = "--every",
            paramLabel = "DURATION",
            defaultValue = "1s",
            description = "Between two looks; 200ms at least. Default: ${DEFAULT-VALUE}.")
    private Duration interval = Duration.ZERO;

    private int phase;
    private @Nullable Watchers watchers;
    private final Map<Watch, Series> series = new EnumMap<>(Watch.class);

    /** Phases of one kind, with relative losses of rate, relative costs in CPU, and shares of the machine. */
    private static final class Series {
        private final List<Outcome> outcomes = new ArrayList<>();
        private final List<Double> losses = new ArrayList<>();
        private final List<Double> costs = new ArrayList<>();
        private final List<Double> shares = new ArrayList<>();

        Summary rate() {
            return Summary.of(outcomes.stream().map(Outcome::messagesPerSecond).toList());
        }

        Summary cpuMicros() {
            return Summary.of(outcomes.stream().map(OverheadCommand::cpuMicros).toList());
        }

        Map<String, Object> toMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("messages-per-second", rate().toMap());
            map.put("cpu-micros-per-delivery", cpuMicros().toMap());
            if (!losses.isEmpty()) {
                map.put("loss-of-rate", Difference.of(losses).toMap());
                map.put("more-cpu", Difference.of(costs).toMap());
                map.put("share-of-machine", Difference.of(shares).toMap());
                map.put("all-losses-of-rate", losses);
            }
            return map;
        }
    }

    static Map<String, String> defaults() {
        return Map.of("--repetitions", "12", "--warmup", "20s", "--time", "2s");
    }

    @Override
    public Integer call() {
        output.title("Cost of being watched: " + members.count() + " members, n-n, " + size + ", " + rounds);
        try (BenchCluster cluster = new BenchCluster(SystemKind.TUTTI, members.count(), output.layoutHere("512m"))) {
            cluster.form();
            warmUp(cluster);
            Outcome before = work(cluster, Watch.NOTHING);
            for (int round = 1; round <= rounds.repetitions(); round++) {
                // Each kind comes first in half of the rounds.
                boolean isEven = round % 2 == 0;
                for (Watch watch : isEven ? List.of(Watch.CONSOLE, Watch.METRICS) : List.of(Watch.METRICS, Watch.CONSOLE)) {
                    Outcome watched = work(cluster, watch);
                    Outcome after = work(cluster, Watch.NOTHING);
                    compare(watch, before, watched, after);
                    before = after;
                }
                output.progress(String.format(Locale.ROOT, "%d/%d metrics %s, console %s; load %s",
                        round, rounds.repetitions(), last(Watch.METRICS), last(Watch.CONSOLE), Machine.load()));
            }
        } finally {
            endWatching();
        }
        report();
        return output.finish();
    }

    private String last(Watch watch) {
        Series each = series(watch);
        return rate == 0 ? percent(-each.losses.getLast()) : percent(each.shares.getLast());
    }

    /** Watches at short intervals: code that runs once a second would take an hour to be compiled. */
    private void warmUp(BenchCluster cluster) {
        watch(cluster, Watch.EVERYTHING, WARM_INTERVAL);
        run(cluster, rounds.warmup());
    }

    private Outcome work(BenchCluster cluster, Watch watch) {
        watch(cluster, watch, interval);
        Outcome outcome = run(cluster, rounds.time());
        series(watch).outcomes.add(outcome);
        return outcome;
    }

    private Series series(Watch watch) {
        return series.computeIfAbsent(watch, key -> new Series());
    }

    private Outcome run(BenchCluster cluster, Duration time) {
        phase++;
        Duration between = rate == 0 ? Duration.ZERO : Duration.ofSeconds(1).dividedBy(rate);
        Outcome outcome = cluster.run(
                new Phase(phase, members.count(), Math.toIntExact(size.bytes()), time, between, Duration.ZERO));
        outcome.faults().forEach(output::fail);
        return outcome;
    }

    private void watch(BenchCluster cluster, Watch watch, Duration every) {
        endWatching();
        Line line = Line.of("watch").with("what", watch).with("interval", every.toNanos());
        cluster.children().forEach(child -> child.say(line));
        List<String> addresses = new ArrayList<>();
        for (Child child : cluster.children()) {
            Line answer = child.await("watched", WATCH_MAX);
            addresses.addAll(Arrays.stream(answer.text("addresses").split(",")).filter(text -> !text.isEmpty()).toList());
        }
        watchers = new Watchers(addresses, every);
        LockSupport.parkNanos((rounds.isShort() ? SETTLE_SHORT : SETTLE).toNanos());
    }

    private void endWatching() {
        Watchers ending = watchers;
        if (ending != null) {
            ending.close();
            if (!ending.fault().isEmpty()) {
                output.fail(ending.fault());
            }
            watchers = null;
        }
    }

    private void compare(Watch watch, Outcome before, Outcome watched, Outcome after) {
        double rate = (before.messagesPerSecond() + after.messagesPerSecond()) / 2;
        series(watch).losses.add(1 - watched.messagesPerSecond() / rate);
        double cpu = (cpuMicros(before) + cpuMicros(after)) / 2;
        series(watch).costs.add(cpuMicros(watched) / cpu - 1);
        series(watch).shares.add(share(watched) - (share(before) + share(after)) / 2);
    }

    /** Returns the CPU time of all members, as a part of all that the machine has. */
    private static double share(Outcome outcome) {
        return (double) outcome.usage().cpuNanos() / outcome.nanos() / Runtime.getRuntime().availableProcessors();
    }

    private static double cpuMicros(Outcome outcome) {
        return outcome.usage().cpuNanos() / 1e3 / Math.max(1, outcome.deliveries());
    }

    // ------------------------------------------------------------------ results

    private void report() {
        Table table = new Table(
                "watched by", "phases", "messages/s min", "median", "max", "CPU µs/delivery", "rate", "95 % of cases", "CPU",
                "95 % of cases", "of the machine", "95 % of cases");
        Map<String, Object> figures = new LinkedHashMap<>();
        series.forEach((watch, each) -> {
            String name = watch.toString().toLowerCase(Locale.ROOT);
            table.row(cells(name, each));
            figures.put(name, each.toMap());
        });
        output.put("watched", figures);
        output.print(table);
        for (Watch watch : List.of(Watch.METRICS, Watch.CONSOLE)) {
            String name = watch.toString().toLowerCase(Locale.ROOT);
            double loss = Difference.of(series(watch).losses).estimate();
            double share = Difference.of(series(watch).shares).estimate();
            if (rate == 0) {
                output.bound(
                        String.format(Locale.ROOT, "%s: the rate changes by %s; at most %.0f %% less", name, percent(-loss), 100 * LOSS_MAX),
                        loss <= LOSS_MAX);
            } else {
                output.bound(
                        String.format(Locale.ROOT, "%s: %s of the machine's CPU; at most %.0f %%", name, percent(share), 100 * LOSS_MAX),
                        share <= LOSS_MAX);
            }
        }
    }

    private static Object[] cells(String name, Series series) {
        List<Object> cells = new ArrayList<>(List.of(
                name,
                series.outcomes.size(),
                Grid.number(series.rate().min()),
                Grid.number(series.rate().median()),
                Grid.number(series.rate().max()),
                String.format(Locale.ROOT, "%.3f", series.cpuMicros().median())));
        if (series.losses.isEmpty()) {
            cells.addAll(List.of("", "", "", "", "", ""));
        } else {
            Difference loss = Difference.of(series.losses);
            Difference cost = Difference.of(series.costs);
            Difference share = Difference.of(series.shares);
            cells.addAll(List.of(
                    percent(-loss.estimate()),
                    percent(-loss.high()) + " to " + percent(-loss.low()),
                    percent(cost.estimate()),
                    percent(cost.low()) + " to " + percent(cost.high()),
                    percent(share.estimate()),
                    percent(share.low()) + " to " + percent(share.high())));
        }
        return cells.toArray();
    }

    private static String percent(double part) {
        return String.format(Locale.ROOT, "%+.2f %%", 100 * part);
    }
}
