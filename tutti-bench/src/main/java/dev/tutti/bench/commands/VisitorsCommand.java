package dev.tutti.bench.commands;

import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Systems;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.process.Child;
import dev.tutti.bench.process.Line;
import dev.tutti.bench.report.Machine;
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

/** Costs of an idle pair before and after many nodes have come and gone. */
@Command(
        name = "visitors",
        mixinStandardHelpOptions = true,
        description = {
            "CPU time of an idle pair before and after many nodes came and went.",
            "Two processes form a group. Further nodes, which are no seeds, join in waves of one process each; every other wave"
                    + " is killed, the others leave. The CPU time of the pair is measured while nothing happens.",
        },
        footer = {"", "Examples:", "  tutti bench visitors", "  tutti bench visitors --visitors 100 --window 10s --systems tutti"})
final class VisitorsCommand implements Callable<Integer> {

    /** Greatest increase of CPU time of both processes together, as a part of a core. */
    private static final double MORE_MAX = 0.01;

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final Systems systems = new Systems();

    @Option(names = "--visitors", paramLabel = "N", defaultValue = "1000", description = "Default: ${DEFAULT-VALUE}.")
    private int visitors;

    @Option(names = "--wave", paramLabel = "N", defaultValue = "50", description = "Nodes at a time. Default: ${DEFAULT-VALUE}.")
    private int wave;

    @Option(
            names = "--rest",
            paramLabel = "DURATION",
            defaultValue = "100s",
            description = "Between the last wave and the second measurement. Default: ${DEFAULT-VALUE}.")
    private Duration rest = Duration.ZERO;

    @Option(
            names = "--window",
            paramLabel = "DURATION",
            defaultValue = "30s",
            description = "Length of a measurement. Default: ${DEFAULT-VALUE}.")
    private Duration window = Duration.ZERO;

    @Option(
            names = "--limit",
            paramLabel = "DURATION",
            defaultValue = "60s",
            description = "Time to wait for a view. Default: ${DEFAULT-VALUE}.")
    private Duration limit = Duration.ZERO;

    @Override
    public Integer call() {
        output.put("visitors", visitors);
        output.print("an idle pair, before and after " + visitors + " nodes came and went");
        Table table = new Table("system", "cores before", "after");
        Map<String, Object> figures = new LinkedHashMap<>();
        List<String> missed = new ArrayList<>();
        for (SystemKind system : systems.all()) {
            double[] cores = measure(system);
            table.row(system, text(cores[0]), text(cores[1]));
            figures.put(system.toString(), Map.of("cores-before", cores[0], "cores-after", cores[1]));
            if (system.isOwn() && cores[1] - cores[0] > MORE_MAX) {
                missed.add(system.toString());
            }
        }
        output.put("systems", figures);
        output.print(table);
        output.bound("at most " + MORE_MAX + " of a core more" + (missed.isEmpty() ? "" : ", not " + missed), missed.isEmpty());
        return output.finish();
    }

    private double[] measure(SystemKind system) {
        // The nodes of a wave share the direct memory of one process, and receive up to some MiB each.
        Layout layout = output.layoutHere("1g");
        try (BenchCluster cluster = BenchCluster.withSharers(system, 2, 0, layout)) {
            List<Child> pair = List.copyOf(cluster.children());
            join(pair);
            BenchCluster.awaitView(pair, 2, limit);
            LockSupport.parkNanos(rest.toNanos());
            double before = cores(pair);
            int come = 0;
            for (int number = 0; come < visitors; number++) {
                int count = Math.min(wave, visitors - come);
                visit(cluster, pair, count, number % 2 == 0, layout);
                come += count;
                output.progress(system + ": " + come + " have come and gone; load " + Machine.load());
            }
            LockSupport.parkNanos(rest.toNanos());
            double after = cores(pair);
            output.progress(system + ": " + text(before) + " cores before, " + text(after) + " after");
            return new double[] {before, after};
        }
    }

    private void visit(BenchCluster cluster, List<Child> pair, int count, boolean isKilled, Layout layout) {
        List<Child> come = cluster.visit(count, layout);
        join(come);
        BenchCluster.awaitView(pair, 2 + count, limit);
        pair.forEach(child -> child.takeAll("view"));
        if (!isKilled) {
            Line leave = Line.of("leave");
            come.forEach(child -> child.say(leave));
            come.forEach(child -> child.await("left", limit));
        }
        come.getFirst().kill();
        BenchCluster.awaitView(pair, 2, limit);
    }

    private void join(List<Child> children) {
        Line join = Line.of("join");
        children.forEach(child -> child.say(join));
        children.forEach(child -> child.await("joined", limit));
    }

    /** Returns the cores that both processes use together. */
    private double cores(List<Child> pair) {
        long begin = cpuNanos(pair);
        long began = System.nanoTime();
        LockSupport.parkNanos(window.toNanos());
        return (double) (cpuNanos(pair) - begin) / (System.nanoTime() - began);
    }

    private long cpuNanos(List<Child> pair) {
        long sum = 0;
        for (Child child : pair) {
            sum += child.say(Line.of("cost")).await("cost", limit).number("cpu");
        }
        return sum;
    }

    private static String text(double cores) {
        return String.format(Locale.ROOT, "%.4f", cores);
    }
}
