package dev.tutti.bench.commands;

import dev.tutti.bench.comparison.Grid;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Systems;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.Line;
import dev.tutti.bench.report.Table;
import dev.tutti.bench.systems.SystemKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Costs of a further group on a pair of nodes. */
@Command(
        name = "groups",
        mixinStandardHelpOptions = true,
        description = {
            "Costs of a further group on a pair of nodes.",
            "Joins many groups, sends a message in each from both, and compares platform threads and the heap (after a"
                    + " collection) with what they were before. A further group of JGroups is a channel with a transport of its"
                    + " own, of which there are 20 at most.",
        },
        footer = {"", "Examples:", "  tutti bench groups", "  tutti bench groups --count 5000 --json groups.json"})
final class GroupsCommand implements Callable<Integer> {

    private static final long HEAP_BYTES_MAX = 16 * 1024;
    private static final int CHANNELS_MAX = 20;
    private static final int SHORT_MAX = 3;
    private static final Duration TIME_MAX = Duration.ofMinutes(2);

    @Mixin
    private final Output output = new Output();

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Of groups. Default: ${DEFAULT-VALUE}.")
    private int count;

    @Mixin
    private final Systems systems = new Systems();

    @Option(
            names = "--idle",
            paramLabel = "DURATION",
            defaultValue = "2s",
            description = "Time to wait before the heap is measured. Default: ${DEFAULT-VALUE}.")
    private Duration idle = Duration.ZERO;

    @Option(names = "--short", description = "Three groups.")
    private boolean isShort;

    @Override
    public Integer call() {
        output.title("Costs of a further group on a pair of nodes");
        measure(output);
        return output.finish();
    }

    private void measure(Output to) {
        Table table = new Table(
                "system", "node", "groups", "ms/group", "threads/group", "threads before", "after", "heap MiB before", "after",
                "B/group", "direct MiB before", "after");
        Map<String, Object> figures = new LinkedHashMap<>();
        for (SystemKind system : systems.all()) {
            int groups = system.family().equals("tutti") ? count : Math.min(count, CHANNELS_MAX);
            figures.put(system.toString(), measure(to, system, isShort ? Math.min(groups, SHORT_MAX) : groups, table));
        }
        to.put("systems", figures);
        to.print(table);
    }

    private Map<String, Object> measure(Output to, SystemKind system, int groups, Table table) {
        try (BenchCluster cluster = new BenchCluster(system, 2, to.layout("512m"))) {
            cluster.form();
            List<Line> before = held(cluster);
            long began = System.nanoTime();
            all(cluster, Line.of("groups").with("count", groups).with("timeout", TIME_MAX.toNanos()), "grouped");
            double joinMillis = (System.nanoTime() - began) / 1e6;
            to.progress(String.format(
                    Locale.ROOT, "%s: %d groups joined by both in %.0f ms", system, groups, joinMillis));
            boolean isWhole = all(cluster, Line.of("exercise").with("timeout", TIME_MAX.toNanos()), "exercised").stream()
                    .allMatch(line -> line.text("whole").equals("true"));
            if (!isWhole) {
                to.fail(system + ": not every message in every group has arrived");
            }
            Map<String, Object> figures = report(to, system, before, held(cluster), new Joined(groups, joinMillis), table);
            figures.put("count", groups);
            figures.put("join-millis", joinMillis);
            return figures;
        }
    }

    private record Joined(int groups, double millis) {}

    /** Measures twice, because idle parts give back some of their memory only after a while. */
    private List<Line> held(BenchCluster cluster) {
        all(cluster, Line.of("held"), "held");
        LockSupport.parkNanos(idle.toNanos());
        return all(cluster, Line.of("held"), "held");
    }

    private static List<Line> all(BenchCluster cluster, Line command, String answer) {
        cluster.children().forEach(child -> child.say(command));
        List<Line> answers = new ArrayList<>();
        cluster.children().forEach(child -> answers.add(child.await(answer, TIME_MAX)));
        return answers;
    }

    private static Map<String, Object> report(
            Output to, SystemKind system, List<Line> before, List<Line> after, Joined joined, Table table) {
        long worst = 0;
        long threads = 0;
        for (int rank = 0; rank < before.size(); rank++) {
            Line from = before.get(rank);
            Line now = after.get(rank);
            long perGroup = (now.number("heap") - from.number("heap")) / joined.groups();
            long added = now.number("threads") - from.number("threads");
            worst = Math.max(worst, perGroup);
            threads = Math.max(threads, added);
            table.row(
                    system,
                    "m" + rank,
                    joined.groups(),
                    String.format(Locale.ROOT, "%.2f", joined.millis() / joined.groups()),
                    String.format(Locale.ROOT, "%.2f", (double) added / joined.groups()),
                    from.number("threads"),
                    now.number("threads"),
                    mebibytes(from.number("heap")),
                    mebibytes(now.number("heap")),
                    Grid.number(perGroup),
                    mebibytes(from.number("direct")),
                    mebibytes(now.number("direct")));
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("heap-bytes-per-group", worst);
        figures.put("threads-added", threads);
        if (system == SystemKind.TUTTI) {
            to.bound("additional threads: " + threads + ", at most 0", threads <= 0);
            to.bound("heap of an idle group: " + worst + " B, at most " + HEAP_BYTES_MAX + " B", worst <= HEAP_BYTES_MAX);
        }
        return figures;
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f", bytes / (double) (1 << 20));
    }
}
