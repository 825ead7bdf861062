package dev.tutti.bench.commands;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.comparison.Grid;
import dev.tutti.bench.comparison.Load;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Rounds;
import dev.tutti.bench.options.Systems;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.process.Child;
import dev.tutti.bench.process.Line;
import dev.tutti.bench.process.Usage;
import dev.tutti.bench.report.Chart;
import dev.tutti.bench.report.Latencies;
import dev.tutti.bench.report.Machine;
import dev.tutti.bench.report.Summary;
import dev.tutti.bench.report.Table;
import dev.tutti.bench.systems.SystemKind;
import dev.tutti.core.settings.Size;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Requests and answers between members, side by side. */
@Command(
        name = "rpc",
        mixinStandardHelpOptions = true,
        description = {
            "A mix of requests: reads from one member, writes to two.",
            "Threads at each member ask and wait for the answer. Every value is verified at both ends.",
        },
        footer = {"", "Examples:", "  tutti bench rpc", "  tutti perf rpc --members 4 --threads 25"})
final class RpcCommand implements Callable<Integer> {

    private static final double RATIO_MIN = 4;
    private static final String HEAP = "512m";
    private static final long HEAP_BYTES = 512L << 20;

    /** Memory of a member, estimated from members that do little. */
    private static final long PROCESS_BYTES = 130L << 20;

    /** Copies of a value that a waiting thread keeps busy: its own, a packet's and a server's. */
    private static final long VALUES_OF_THREAD = 3;

    private static final double MEDIAN = 50;
    private static final double P99 = 99;
    private static final int WARMUPS = 4;
    private static final long HEAD_START_NANOS = 50_000_000;
    private static final Duration ANSWER_MAX = Duration.ofSeconds(45);
    private static final Duration SERVE_MAX = Duration.ofSeconds(60);
    private static final Duration COST_MAX = Duration.ofSeconds(10);

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final Rounds rounds = new Rounds();

    @Mixin
    private final Systems systems = new Systems();

    @Option(
            names = "--members",
            paramLabel = "N",
            split = ",",
            defaultValue = "2,4,8",
            description = "Processes. Default: ${DEFAULT-VALUE}.")
    private List<Integer> members = List.of();

    @Option(
            names = "--threads",
            paramLabel = "N",
            split = ",",
            defaultValue = "25,100",
            description = "Of each member. Default: ${DEFAULT-VALUE}.")
    private List<Integer> threads = List.of();

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            split = ",",
            defaultValue = "1000B",
            description = "Of a value. Default: ${DEFAULT-VALUE}.")
    private List<Size> sizes = List.of();

    @Option(
            names = "--reads",
            paramLabel = "PERCENT",
            defaultValue = "80",
            description = "Of all requests; the others write. Default: ${DEFAULT-VALUE}.")
    private int reads;

    @Option(
            names = "--copies",
            paramLabel = "N",
            defaultValue = "2",
            description = "Members that a value is written to. Default: ${DEFAULT-VALUE}.")
    private int copies;

    static Map<String, String> defaults(String systems) {
        return Map.of("--systems", systems, "--repetitions", "3", "--warmup", "20s", "--time", "4s");
    }

    /** @param threads of each member */
    private record Mix(int members, int threads, int bytes) {

        /** Returns why this machine does not carry the mix; empty if it does. */
        String obstacle() {
            long held = VALUES_OF_THREAD * threads * (long) bytes;
            if (held > HEAP_BYTES) {
                return threads + " threads hold " + Load.print(held) + ", and a process has a heap of " + HEAP;
            }
            long needed = members * (PROCESS_BYTES + held);
            long available = Machine.availableBytes();
            return needed <= available
                    ? ""
                    : members + " processes need " + (needed >> 20) + " MiB, and " + (available >> 20) + " MiB are available";
        }

        @Override
        public String toString() {
            return members + " members, " + threads + " threads, " + Load.print(bytes);
        }
    }

    /** Results of one system with one mix. */
    private static final class Series {
        private final List<Double> rates = new ArrayList<>();
        private final List<Double> cpuMicros = new ArrayList<>();
        private final Histogram times = Latencies.histogram();
        private @Nullable String fault;

        boolean counts() {
            return fault == null && !rates.isEmpty();
        }

        double rate() {
            return Summary.of(rates).median();
        }

        double p99() {
            return Latencies.micros(times, P99);
        }

        Map<String, Object> toMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            if (fault != null) {
                map.put("fault", fault);
            }
            if (!rates.isEmpty()) {
                map.put("requests-per-second-and-node", Summary.of(rates).toMap());
                map.put("all-requests-per-second-and-node", rates);
                map.put("cpu-micros-per-request", Summary.of(cpuMicros).toMap());
                map.put("nanos", Latencies.toMap(times));
            }
            return map;
        }
    }

    @Override
    public Integer call() {
        output.title("Requests: " + reads + " % reads, the others write to " + copies);
        List<Object> results = new ArrayList<>();
        Table table = new Table(
                "system", "members", "threads", "size", "requests/s and node min", "median", "max", "median µs", "p99 µs",
                "CPU µs/request");
        Map<SystemKind, Integer> failed = new LinkedHashMap<>();
        for (Mix mix : mixes()) {
            String obstacle = mix.obstacle();
            if (!obstacle.isEmpty()) {
                output.note(mix + ": not measured, because " + obstacle);
                continue;
            }
            Map<SystemKind, Series> all = measure(mix, failed);
            Map<String, Object> figures = new LinkedHashMap<>();
            all.forEach((system, series) -> {
                figures.put(system.toString(), series.toMap());
                if (series.counts()) {
                    table.row(cells(system, mix, series));
                }
            });
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("members", mix.members);
            result.put("threads", mix.threads);
            result.put("bytes", mix.bytes);
            result.put("systems", figures);
            judge(mix, all, result);
            results.add(result);
            output.put("results", results);
            output.save();
        }
        output.print(table);
        plot(results);
        return output.finish();
    }

    private List<Mix> mixes() {
        List<Mix> mixes = new ArrayList<>();
        for (int count : members) {
            for (Size size : sizes) {
                for (int each : threads) {
                    mixes.add(new Mix(count, each, Math.toIntExact(size.bytes())));
                }
            }
        }
        return rounds.isShort() ? mixes.subList(0, 1) : mixes;
    }

    private static Object[] cells(SystemKind system, Mix mix, Series series) {
        Summary rate = Summary.of(series.rates);
        return new Object[] {
            system,
            mix.members,
            mix.threads,
            Load.print(mix.bytes),
            Grid.number(rate.min()),
            Grid.number(rate.median()),
            Grid.number(rate.max()),
            Latencies.printMicros(series.times, MEDIAN),
            Latencies.printMicros(series.times, P99),
            String.format(Locale.ROOT, "%.1f", Summary.of(series.cpuMicros).median())
        };
    }

    /** @param failed members with which a system has failed, by system: it is not tried with more */
    private Map<SystemKind, Series> measure(Mix mix, Map<SystemKind, Integer> failed) {
        Layout layout = output.layout(HEAP);
        Map<SystemKind, Series> all = new LinkedHashMap<>();
        for (int repetition = 1; repetition <= rounds.repetitions(); repetition++) {
            for (SystemKind system : systems.all()) {
                if (mix.members > failed.getOrDefault(system, mix.members)) {
                    continue;
                }
                Series series = all.computeIfAbsent(system, key -> new Series());
                if (series.fault != null) {
                    continue;
                }
                try (BenchCluster cluster = new BenchCluster(system, mix.members, layout)) {
                    cluster.form();
                    measure(cluster, mix, series);
                    output.progress(String.format(
                            Locale.ROOT,
                            "%d/%d %-16s %s: %,.0f requests/s and node; load %s",
                            repetition,
                            rounds.repetitions(),
                            system,
                            mix,
                            series.rates.getLast(),
                            Machine.load()));
                } catch (BenchException e) {
                    series.fault = String.valueOf(e.getMessage());
                    failed.putIfAbsent(system, mix.members);
                    String what = system + ", " + mix + ": " + series.fault + "; not tried with more members";
                    if (system.isOwn()) {
                        output.fail(what);
                    } else {
                        output.disqualify(what);
                    }
                }
            }
        }
        return all;
    }

    private void measure(BenchCluster cluster, Mix mix, Series series) {
        List<Child> children = cluster.children();
        Line serve = Line.of("serve").with("size", mix.bytes);
        children.forEach(child -> child.say(serve));
        children.forEach(child -> child.await("serving", SERVE_MAX));
        for (int number = 0; number < WARMUPS; number++) {
            request(children, mix, rounds.warmup().dividedBy(WARMUPS));
        }
        List<Line> lines = request(children, mix, rounds.time());
        double perSecond = 0;
        long requests = 0;
        for (Line line : lines) {
            Histogram times = Latencies.parse(line.text("nanos"));
            series.times.add(times);
            requests += times.getTotalCount();
            perSecond += times.getTotalCount() * 1e9 / line.number("took");
        }
        Usage usage = Usage.NONE;
        children.forEach(child -> child.say(Line.of("cost")));
        for (Child child : children) {
            usage = usage.plus(Usage.of(child.await("cost", COST_MAX)));
        }
        series.rates.add(perSecond / children.size());
        series.cpuMicros.add(usage.cpuNanos() / 1e3 / Math.max(1, requests));
    }

    /** @throws BenchException if any request failed, or returned another value than was written */
    private List<Line> request(List<Child> children, Mix mix, Duration time) {
        Line line = Line.of("request")
                .with("size", mix.bytes)
                .with("threads", mix.threads)
                .with("reads", reads)
                .with("copies", copies)
                .with("time", time.toNanos())
                .with("timeout", ANSWER_MAX.toNanos())
                .with("at", System.nanoTime() + HEAD_START_NANOS);
        children.forEach(child -> child.say(line));
        List<Line> lines = new ArrayList<>();
        for (Child child : children) {
            Line requested = child.await("requested", time.plus(ANSWER_MAX).plus(ANSWER_MAX));
            if (requested.number("failures") > 0) {
                throw new BenchException("m" + child.rank() + ": " + requested.number("failures") + " requests failed: "
                        + requested.text("fault").replace('_', ' '));
            }
            lines.add(requested);
        }
        return lines;
    }

    private void judge(Mix mix, Map<SystemKind, Series> all, Map<String, Object> result) {
        Series own = all.get(SystemKind.TUTTI);
        double rate = 0;
        double p99 = Double.MAX_VALUE;
        for (var each : all.entrySet()) {
            if (each.getKey().family().equals("jgroups") && each.getValue().counts()) {
                rate = Math.max(rate, each.getValue().rate());
                p99 = Math.min(p99, each.getValue().p99());
            }
        }
        if (own == null || !own.counts()) {
            return;
        }
        Series limit = all.get(SystemKind.LIMIT);
        if (limit != null && limit.counts()) {
            result.put("limit-ratio", own.rate() / limit.rate());
        }
        if (rate == 0) {
            return;
        }
        double ratio = own.rate() / rate;
        result.put("ratio", ratio);
        result.put("p99-ratio", own.p99() / p99);
        output.bound(
                String.format(
                        Locale.ROOT, "%s: %.2f times the requests of jgroups, at least %.1f", mix, ratio, RATIO_MIN),
                ratio >= RATIO_MIN);
        output.bound(
                String.format(Locale.ROOT, "%s: p99 %,.0f µs, below that of jgroups, %,.0f", mix, own.p99(), p99),
                own.p99() < p99);
    }

    private void plot(List<Object> results) {
        Chart.Builder rates = new Chart.Builder("requests/s and node", "members x threads x size", "requests/s", true);
        Chart.Builder tails = new Chart.Builder("p99 of a request", "members x threads x size", "µs", true);
        long place = 0;
        for (Object each : results) {
            if (each instanceof Map<?, ?> result && result.get("systems") instanceof Map<?, ?> figures) {
                String name = result.get("members") + " x " + result.get("threads")
                        + (sizes.size() > 1 && result.get("bytes") instanceof Integer bytes ? " x " + Load.print(bytes) : "");
                for (var system : figures.entrySet()) {
                    if (system.getValue() instanceof Map<?, ?> map
                            && map.get("requests-per-second-and-node") instanceof Map<?, ?> rate
                            && map.get("nanos") instanceof Map<?, ?> nanos
                            && rate.get("median") instanceof Double median
                            && nanos.get("p99") instanceof Long p99) {
                        rates.add(String.valueOf(system.getKey()), place, name, median);
                        tails.add(String.valueOf(system.getKey()), place, name, p99 / 1e3);
                    }
                }
            }
            place++;
        }
        output.chart(rates);
        output.chart(tails);
    }
}
