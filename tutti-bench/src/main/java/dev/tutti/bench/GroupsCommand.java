package dev.tutti.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a further group costs on a pair of nodes. */
@Command(
        name = "groups",
        mixinStandardHelpOptions = true,
        description = {
            "Joins many groups on one pair of nodes, sends a message in each from both, and compares threads and the heap",
            "(after a collection) with what they were before.",
        },
        footer = {"", "Examples:", "  tutti bench groups", "  tutti bench groups --count 5000 --json groups.json"})
final class GroupsCommand implements Callable<Integer> {

    private static final long HEAP_BYTES_MAX = 16 * 1024;
    private static final Duration TIME_MAX = Duration.ofMinutes(2);

    @Mixin
    private final Output output = new Output();

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Of groups. Default: ${DEFAULT-VALUE}.")
    private int count;

    @Option(
            names = "--idle",
            paramLabel = "DURATION",
            defaultValue = "2s",
            description = "How long to wait before the heap is measured. Default: ${DEFAULT-VALUE}.")
    private Duration idle = Duration.ZERO;

    @Override
    public Integer call() {
        output.put("count", count);
        output.print("groups, " + count + " of them on a pair of nodes");
        try (Cluster cluster = new Cluster(SystemKind.TUTTI, 2, output.jvmOptions("512m"))) {
            cluster.form();
            List<Line> before = held(cluster);
            long began = System.nanoTime();
            all(cluster, Line.of("groups").with("count", count).with("timeout", TIME_MAX.toNanos()), "grouped");
            double joinMillis = (System.nanoTime() - began) / 1e6;
            output.progress(String.format(Locale.ROOT, "%d groups joined by both in %.0f ms", count, joinMillis));
            boolean isWhole = all(cluster, Line.of("exercise").with("timeout", TIME_MAX.toNanos()), "exercised").stream()
                    .allMatch(line -> line.text("whole").equals("true"));
            if (!isWhole) {
                output.fail("not every message in every group has arrived");
            }
            List<Line> after = held(cluster);
            report(before, after);
            output.put("join-millis", joinMillis);
        }
        return output.finish();
    }

    /** Twice, because what is idle gives back some of its memory only after a while. */
    private List<Line> held(Cluster cluster) {
        all(cluster, Line.of("held"), "held");
        LockSupport.parkNanos(idle.toNanos());
        return all(cluster, Line.of("held"), "held");
    }

    private static List<Line> all(Cluster cluster, Line command, String answer) {
        cluster.children().forEach(child -> child.say(command));
        List<Line> answers = new ArrayList<>();
        cluster.children().forEach(child -> answers.add(child.await(answer, TIME_MAX)));
        return answers;
    }

    private void report(List<Line> before, List<Line> after) {
        Table table = new Table("node", "threads before", "after", "heap MiB before", "after", "B/group", "direct MiB before", "after");
        long worst = 0;
        long threads = 0;
        for (int rank = 0; rank < before.size(); rank++) {
            Line from = before.get(rank);
            Line to = after.get(rank);
            long perGroup = (to.number("heap") - from.number("heap")) / count;
            worst = Math.max(worst, perGroup);
            threads = Math.max(threads, to.number("threads") - from.number("threads"));
            table.row(
                    "m" + rank,
                    from.number("threads"),
                    to.number("threads"),
                    mebibytes(from.number("heap")),
                    mebibytes(to.number("heap")),
                    perGroup,
                    mebibytes(from.number("direct")),
                    mebibytes(to.number("direct")));
        }
        output.put("heap-bytes-per-group", worst);
        output.put("threads-added", threads);
        output.print(table);
        output.bound("additional threads: " + threads + ", at most 0", threads <= 0);
        output.bound("heap of an idle group: " + worst + " B, at most " + HEAP_BYTES_MAX + " B", worst <= HEAP_BYTES_MAX);
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f", bytes / (double) (1 << 20));
    }
}
