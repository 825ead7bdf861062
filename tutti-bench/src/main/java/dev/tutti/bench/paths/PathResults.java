package dev.tutti.bench.paths;

import dev.tutti.bench.comparison.Load;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.report.Chart;
import dev.tutti.bench.report.Latencies;
import dev.tutti.bench.report.Summary;
import dev.tutti.bench.report.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** Figures of paths by size and by number of producers, and whether they hold the bounds. */
final class PathResults {

    /** Bytes of a content of one of many producers. */
    static final int MANY_BYTES = 100;

    private static final double MIB = 1 << 20;
    private static final double MEDIAN = 50;
    private static final double P99 = 99;
    private static final double ADDED_MICROS_MAX = 100;
    private static final int LARGE_BYTES = 512 << 10;
    private static final double DIRECT_MIN = 0.95;
    private static final double MEDIATOR_MIN = 0.7;

    private record Key(PathKind path, int place) {}

    private final Output output;
    private final Map<Key, Histogram> trips = new LinkedHashMap<>();
    private final Map<Key, List<PathPair.Streamed>> streams = new LinkedHashMap<>();
    private final Map<Key, List<PathPair.Streamed>> many = new TreeMap<>((a, b) -> a.place != b.place ? a.place - b.place : a.path.compareTo(b.path));
    private final Map<Key, String> skipped = new LinkedHashMap<>();

    PathResults(Output output) {
        this.output = output;
    }

    void add(PathKind path, int size, Histogram histogram) {
        trips.computeIfAbsent(new Key(path, size), _ -> Latencies.histogram()).add(histogram);
    }

    void add(PathKind path, int size, PathPair.Streamed stream) {
        check(path + ", " + Load.print(size), stream);
        streams.computeIfAbsent(new Key(path, size), _ -> new ArrayList<>()).add(stream);
    }

    void addMany(PathKind path, int producers, PathPair.Streamed stream) {
        check(path + ", " + producers + " producers", stream);
        many.computeIfAbsent(new Key(path, producers), _ -> new ArrayList<>()).add(stream);
    }

    /** Records that a path does not take contents of a size. */
    void skip(PathKind path, int size) {
        skipped.put(new Key(path, size), path + " does not take " + Load.print(size) + ": the mediator takes requests of at most 1 MiB, and the"
                + " content is longer in Base64");
    }

    private void check(String what, PathPair.Streamed stream) {
        if (stream.lost() > stream.told()) {
            output.fail(what + ": " + stream.lost() + " are lost, and gaps told of " + stream.told());
        } else if (stream.lost() > 0) {
            output.note(what + ": " + stream.lost() + " are lost, as gaps told");
        } else if (stream.lost() < 0) {
            output.fail(what + ": " + -stream.lost() + " have arrived twice");
        }
    }

    static double mebibytes(int size, PathPair.Streamed stream) {
        return size * stream.perSecond() / MIB;
    }

    // ------------------------------------------------------------------ report

    void report(List<Integer> sizes) {
        skipped.values().forEach(output::note);
        Table table = new Table("path", "size", "round trip µs median", "p99", "messages/s min", "median", "max", "MiB/s", "CPU µs/message");
        Chart.Builder medians = new Chart.Builder("round trip, median", "size", "µs", true);
        Chart.Builder tails = new Chart.Builder("round trip, p99", "size", "µs", true);
        Chart.Builder bandwidths = new Chart.Builder("bandwidth of a stream", "size", "MiB/s", true);
        Chart.Builder rates = new Chart.Builder("messages of a stream", "size", "messages/s", true);
        List<Object> figures = new ArrayList<>();
        trips.forEach((key, histogram) -> {
            List<PathPair.Streamed> all = streams.getOrDefault(key, List.of());
            if (all.isEmpty()) {
                return;
            }
            Summary rate = rate(all);
            double processor = processor(all);
            String name = key.path.toString();
            String size = Load.print(key.place);
            double bandwidth = key.place * rate.median() / MIB;
            table.row(name, size, Latencies.printMicros(histogram, MEDIAN), Latencies.printMicros(histogram, P99), number(rate.min()),
                    number(rate.median()), number(rate.max()), String.format(Locale.ROOT, "%,.2f", bandwidth),
                    String.format(Locale.ROOT, "%,.2f", processor));
            medians.add(name, key.place, size, Latencies.micros(histogram, MEDIAN));
            tails.add(name, key.place, size, Latencies.micros(histogram, P99));
            bandwidths.add(name, key.place, size, bandwidth);
            rates.add(name, key.place, size, rate.median());
            figures.add(Map.of("path", name, "bytes", key.place, "round-trip-nanos", Latencies.toMap(histogram), "per-second", rate.toMap(),
                    "mib-per-second", bandwidth, "processor-micros", processor));
        });
        output.print(table);
        output.put("sizes", figures);
        List.of(medians, tails, bandwidths, rates).forEach(output::chart);
        reportMany();
        sizes.forEach(this::judge);
    }

    private void reportMany() {
        if (many.isEmpty()) {
            return;
        }
        Table table = new Table("path", "producers", "measurements/s min", "median", "max", "of sockets", "CPU µs/message");
        Chart.Builder chart = new Chart.Builder("many producers to one consumer, bodies of " + MANY_BYTES + " B", "producers", "measurements/s", true);
        List<Object> figures = new ArrayList<>();
        many.forEach((key, all) -> {
            Summary rate = rate(all);
            double processor = processor(all);
            List<PathPair.Streamed> bare = many.getOrDefault(new Key(PathKind.SOCKET, key.place), List.of());
            String ratio = bare.isEmpty() ? "" : String.format(Locale.ROOT, "%.2f", rate.median() / rate(bare).median());
            table.row(key.path, key.place, number(rate.min()), number(rate.median()), number(rate.max()), ratio,
                    String.format(Locale.ROOT, "%,.2f", processor));
            chart.add(key.path.toString(), key.place, Integer.toString(key.place), rate.median());
            figures.add(Map.of("path", key.path.toString(), "producers", key.place, "per-second", rate.toMap(),
                    "processor-micros", processor));
        });
        output.print(table);
        output.put("producers", figures);
        output.chart(chart);
    }

    private void judge(int size) {
        Histogram bare = trips.get(new Key(PathKind.SOCKET, size));
        Histogram direct = trips.get(new Key(PathKind.DIRECT, size));
        if (bare != null && direct != null) {
            double added = Latencies.micros(direct, MEDIAN) - Latencies.micros(bare, MEDIAN);
            output.bound(
                    String.format(Locale.ROOT, "%s direct: a round trip takes %,.0f µs more than over a bare socket; at most %,.0f",
                            Load.print(size), added, ADDED_MICROS_MAX),
                    added <= ADDED_MICROS_MAX);
        }
        if (size >= LARGE_BYTES) {
            judge(size, PathKind.DIRECT, DIRECT_MIN);
            judge(size, PathKind.MEDIATOR, MEDIATOR_MIN);
        }
    }

    private void judge(int size, PathKind path, double min) {
        List<PathPair.Streamed> bare = streams.get(new Key(PathKind.SOCKET, size));
        List<PathPair.Streamed> own = streams.get(new Key(path, size));
        if (bare != null && own != null) {
            double ratio = rate(own).median() / rate(bare).median();
            output.bound(
                    String.format(Locale.ROOT, "%s %s: %.0f %% of the bandwidth of a bare socket; at least %.0f %%", Load.print(size), path,
                            ratio * 100, min * 100),
                    ratio >= min);
        }
    }

    private static Summary rate(List<PathPair.Streamed> all) {
        return Summary.of(all.stream().map(PathPair.Streamed::perSecond).toList());
    }

    private static double processor(List<PathPair.Streamed> all) {
        return Summary.of(all.stream().map(PathPair.Streamed::processorMicros).toList()).median();
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }
}
