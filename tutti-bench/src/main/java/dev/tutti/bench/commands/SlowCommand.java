package dev.tutti.bench.commands;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.options.MemberCounts;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.BenchCluster.Outcome;
import dev.tutti.bench.process.BenchCluster.Phase;
import dev.tutti.bench.process.Line;
import dev.tutti.bench.report.Summary;
import dev.tutti.bench.report.Table;
import dev.tutti.bench.systems.SystemKind;
import dev.tutti.core.settings.Durations;
import dev.tutti.core.settings.Size;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Memory of members while one of them consumes slowly. */
@Command(
        name = "slow",
        mixinStandardHelpOptions = true,
        description = {
            "Memory of members while one of them is slow.",
            "Senders of large messages, one unless told otherwise, and one consumer that takes many times as long for each as the others do."
                    + " Nothing may be lost, and memory (heap after a collection, plus direct memory) must stay flat.",
        },
        footer = {"", "Examples:", "  tutti bench slow", "  tutti bench slow --members 4 --time 10s --size 1MB",
            "  tutti bench slow --senders 3 --time 10min"})
final class SlowCommand implements Callable<Integer> {

    /** Greatest relative growth of the most that any member holds, from one half of the time to the other. */
    private static final double GROWTH_MAX = 0.1;

    /** Part of the time that is a warm-up, whose samples are ignored. */
    private static final double SETTLED = 0.3;

    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final MemberCounts members = new MemberCounts();

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "10MB",
            description = "Of a message. Default: ${DEFAULT-VALUE}.")
    private Size size = Size.mebibytes(10);

    @Option(
            names = "--senders",
            paramLabel = "N",
            defaultValue = "1",
            description = "Members that send at the same time. Default: ${DEFAULT-VALUE}.")
    private int senders;

    @Option(
            names = "--factor",
            paramLabel = "N",
            defaultValue = "100",
            description = "Factor by which the slow member is slower. Default: ${DEFAULT-VALUE}.")
    private int factor;

    @Option(
            names = "--work",
            paramLabel = "DURATION",
            defaultValue = "5ms",
            description = "Time that a consumer spends on each message, besides checks. Default: ${DEFAULT-VALUE}.")
    private Duration work = Duration.ZERO;

    @Option(
            names = "--time",
            paramLabel = "DURATION",
            defaultValue = "60s",
            description = "Time during which to send. Default: ${DEFAULT-VALUE}.")
    private Duration time = Duration.ZERO;

    @Option(
            names = "--sample",
            paramLabel = "DURATION",
            defaultValue = "3s",
            description = "Time between samples. Default: ${DEFAULT-VALUE}.")
    private Duration sample = Duration.ZERO;

    @Option(
            names = "--system",
            paramLabel = "SYSTEM",
            defaultValue = "tutti",
            description = "Default: ${DEFAULT-VALUE}.")
    private SystemKind system = SystemKind.TUTTI;

    @Override
    public Integer call() {
        output.put("members", members.count());
        if (senders < 1 || senders >= members.count()) {
            throw new BenchException("--senders is " + senders + "; it has to be 1 to " + (members.count() - 1)
                    + ", fewer than there are members");
        }
        output.put("senders", senders);
        output.put("bytes", size.bytes());
        output.put("factor", factor);
        output.print("slow, " + system + ", " + members.count() + " processes, " + senders + " send " + size + ", one " + factor + " times slower, "
                + Durations.print(time));
        try (BenchCluster cluster = new BenchCluster(system, members.count(), output.layout("64m"))) {
            cluster.form();
            for (int rank = 0; rank < members.count(); rank++) {
                long nanos = work.toNanos() * (rank == members.count() - 1 ? factor : 1);
                cluster.children().get(rank).say(Line.of("slow").with("nanos", nanos)).await("slowed", ANSWER_MAX);
            }
            output.progress(members.count() + " members in one view; sending for " + Durations.print(time));
            Phase phase = new Phase(1, senders, Math.toIntExact(size.bytes()), time, Duration.ZERO, sample);
            Outcome outcome = cluster.run(phase);
            outcome.faults().forEach(output::fail);
            output.put("messages", outcome.sent());
            output.print(String.format(
                    Locale.ROOT,
                    "%,d messages in %.1f s, %,d deliveries to others, %.1f MiB/s per receiver, GC %,d ms in all",
                    outcome.sent(),
                    outcome.nanos() / 1e9,
                    outcome.others(),
                    outcome.messagesPerSecond() * size.bytes() / (1 << 20),
                    outcome.usage().gcMillis()));
            report(cluster);
        }
        return output.finish();
    }

    private void report(BenchCluster cluster) {
        Table table = new Table(
                "member",
                "samples",
                "heap + direct MiB first",
                "median",
                "max",
                "heap max",
                "direct max",
                "growth KiB/s",
                "resident MiB max");
        List<Object> series = new ArrayList<>();
        long firstHalfMax = 0;
        long secondHalfMax = 0;
        for (int rank = 0; rank < cluster.size(); rank++) {
            List<Line> lines = cluster.children().get(rank).takeAll("sample");
            if (lines.isEmpty()) {
                output.fail("m" + rank + ": no samples; --sample is longer than it ran");
                continue;
            }
            long[] bytes = lines.stream().mapToLong(line -> line.number("heap") + line.number("direct")).toArray();
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("member", "m" + rank);
            one.put("heap", lines.stream().map(line -> line.number("heap")).toList());
            one.put("direct", lines.stream().map(line -> line.number("direct")).toList());
            one.put("resident", lines.stream().map(line -> line.number("resident")).toList());
            series.add(one);
            double perSecond = growth(lines, bytes);
            int settled = (int) (bytes.length * SETTLED);
            int middle = (settled + bytes.length) / 2;
            firstHalfMax = Math.max(firstHalfMax, max(bytes, settled, middle));
            secondHalfMax = Math.max(secondHalfMax, max(bytes, middle, bytes.length));
            table.row(
                    "m" + rank + (rank < senders ? " (sender)" : rank == cluster.size() - 1 ? " (slow)" : ""),
                    lines.size(),
                    mebibytes(bytes[0]),
                    mebibytes(Summary.quantile(bytes, 0.5)),
                    mebibytes(Summary.quantile(bytes, 1)),
                    mebibytes(lines.stream().mapToLong(line -> line.number("heap")).max().orElse(0)),
                    mebibytes(lines.stream().mapToLong(line -> line.number("direct")).max().orElse(0)),
                    String.format(Locale.ROOT, "%.1f", perSecond / 1024),
                    mebibytes(lines.stream().mapToLong(line -> line.number("resident")).max().orElse(0)));
        }
        output.put("series", series);
        double growth = (secondHalfMax - firstHalfMax) / (double) Math.max(1, firstHalfMax);
        output.put("growth", growth);
        output.print(table);
        output.bound(
                String.format(
                        Locale.ROOT,
                        "memory is flat: the most of any member is %s MiB in the first half and %s MiB in the second,"
                                + " at most %.0f %% more",
                        mebibytes(firstHalfMax),
                        mebibytes(secondHalfMax),
                        GROWTH_MAX * 100),
                growth <= GROWTH_MAX);
    }

    private static long max(long[] values, int from, int to) {
        return Arrays.stream(values, from, to).max().orElse(0);
    }

    /** Returns the growth in bytes per second, after the warm-up. */
    private static double growth(List<Line> lines, long[] bytes) {
        int from = (int) (lines.size() * SETTLED);
        double[] seconds = new double[lines.size() - from];
        double[] held = new double[seconds.length];
        for (int index = 0; index < seconds.length; index++) {
            seconds[index] = lines.get(from + index).number("at") / 1e9;
            held[index] = bytes[from + index];
        }
        return Summary.slope(seconds, held);
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f", bytes / (double) (1 << 20));
    }
}
