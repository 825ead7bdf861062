package dev.tutti.bench.commands;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.options.MemberCounts;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Systems;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.process.Child;
import dev.tutti.bench.process.Line;
import dev.tutti.bench.report.Machine;
import dev.tutti.bench.report.Summary;
import dev.tutti.bench.report.Table;
import dev.tutti.bench.systems.SystemKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Time from the end of a member until all that were members with it have a view without it, while others join. */
@Command(
        name = "exclusion",
        mixinStandardHelpOptions = true,
        description = {
            "Time from the end of a member to its exclusion, while others join.",
            "Forms a group of processes, lets joiners start at once, and at that instant kills or stops a member, by turns the"
                    + " coordinator and another one. A run's time is that of the last survivor to have a view without it."
                    + " Joiners share one process that is started before: what is measured is the protocol, not the start of"
                    + " many JVMs.",
        },
        footer = {
            "",
            "Examples:",
            "  tutti bench exclusion",
            "  tutti bench exclusion --joiners 0,8 --ends stop --runs 5 --systems tutti",
            "  tutti bench exclusion --json exclusion.json",
        })
final class ExclusionCommand implements Callable<Integer> {

    private static final double KILL_MILLIS_MAX = 250;
    private static final double SILENCE_MILLIS_MAX = 4_000;
    private static final int MEMBERS_MIN = 3;

    /** Manner in which a member ends. */
    enum End {
        KILL,
        STOP
    }

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final MemberCounts members = new MemberCounts();

    @Option(
            names = "--joiners",
            paramLabel = "N",
            split = ",",
            defaultValue = "0,2,4,8",
            description = "Nodes that start at the instant of the end, a row for each number. Default: ${DEFAULT-VALUE}.")
    private List<Integer> joiners = List.of();

    @Option(
            names = "--ends",
            paramLabel = "END",
            split = ",",
            defaultValue = "kill,stop",
            description = "${COMPLETION-CANDIDATES}: kill -9, kill -STOP. Default: ${DEFAULT-VALUE}.")
    private List<End> ends = List.of();

    @Option(names = "--runs", paramLabel = "N", defaultValue = "20", description = "For each row. Default: ${DEFAULT-VALUE}.")
    private int runs;

    @Mixin
    private final Systems systems = new Systems();

    @Option(
            names = "--settle",
            paramLabel = "DURATION",
            defaultValue = "3s",
            description = "Between the view of all and the end. Default: ${DEFAULT-VALUE}.")
    private Duration settle = Duration.ZERO;

    @Option(
            names = "--limit",
            paramLabel = "DURATION",
            defaultValue = "60s",
            description = "Time to wait for a view. Default: ${DEFAULT-VALUE}.")
    private Duration limit = Duration.ZERO;

    /** A row of the table. */
    private record Row(SystemKind system, End end, int joiners) {

        double millisMax() {
            boolean isSilent = end == End.STOP || system.name().contains("UDP");
            return isSilent ? SILENCE_MILLIS_MAX : KILL_MILLIS_MAX;
        }

        String name() {
            return system + " " + end.name().toLowerCase(Locale.ROOT) + ", " + joiners + " joiners";
        }
    }

    @Override
    public Integer call() {
        if (members.count() < MEMBERS_MIN) {
            throw new BenchException("--members is at least " + MEMBERS_MIN + ", not " + members.count());
        }
        output.put("members", members.count());
        output.print("exclusion of one of " + members.count() + " processes, " + runs + " runs");
        Map<Row, List<Double>> results = new TreeMap<>(Comparator.comparing(Row::system)
                .thenComparing(Row::end)
                .thenComparing(Row::joiners));
        for (int run = 0; run < runs; run++) {
            for (SystemKind system : systems.all()) {
                for (End end : ends) {
                    for (int count : joiners) {
                        measure(new Row(system, end, count), run, results);
                    }
                }
            }
        }
        report(results);
        return output.finish();
    }

    private void measure(Row row, int run, Map<Row, List<Double>> results) {
        try {
            double millis = run(row, run % 2 == 0);
            results.computeIfAbsent(row, key -> new ArrayList<>()).add(millis);
            output.progress(String.format(
                    Locale.ROOT, "%d/%d %s: %,.0f ms; load %s", run + 1, runs, row.name(), millis, Machine.load()));
        } catch (BenchException e) {
            output.fail(row.name() + ", run " + (run + 1) + ": " + e.getMessage());
        }
    }

    private double run(Row row, boolean isCoordinator) {
        try (BenchCluster cluster = BenchCluster.withSharers(row.system(), members.count(), row.joiners(), layout())) {
            Line join = Line.of("join");
            List<Child> survivors = new ArrayList<>(cluster.children().subList(0, members.count()));
            List<Child> newcomers = cluster.children().subList(members.count(), cluster.size());
            survivors.forEach(child -> child.say(join));
            survivors.forEach(child -> child.await("joined", limit));
            BenchCluster.awaitView(survivors, members.count(), limit);
            LockSupport.parkNanos(settle.toNanos());
            int coordinator = survivors.getFirst().coordinator();
            Child victim = survivors.remove(isCoordinator ? coordinator : (coordinator + 1) % members.count());
            survivors.forEach(child -> child.takeAll("view"));
            newcomers.forEach(child -> child.say(join));
            long ended = System.nanoTime();
            switch (row.end()) {
                case KILL -> victim.kill();
                case STOP -> victim.stop();
            }
            long last = ended;
            for (Child survivor : survivors) {
                Line view = survivor.await("view", line -> isWithout(line, victim.rank()), limit);
                last = Math.max(last, view.number("at"));
            }
            victim.kill();
            return (last - ended) / 1e6;
        }
    }

    private static boolean isWithout(Line view, int rank) {
        return !Arrays.asList(view.text("members").split(",")).contains(Integer.toString(rank));
    }

    /** Limits compilation: otherwise several JVMs on a machine of few cores would measure how they compile. */
    private Layout layout() {
        Layout all = output.layoutHere("256m");
        List<String> options = new ArrayList<>(all.options());
        options.add("-XX:TieredStopAtLevel=1");
        return all.with(options);
    }

    private void report(Map<Row, List<Double>> results) {
        Table table = new Table("system", "end", "joiners", "runs", "ms min", "median", "max", "at most", "beyond");
        List<Map<String, Object>> figures = new ArrayList<>();
        results.forEach((row, millis) -> {
            Summary summary = Summary.of(millis);
            long beyond = millis.stream().filter(value -> value > row.millisMax()).count();
            String end = row.end().name().toLowerCase(Locale.ROOT);
            table.row(row.system(), end, row.joiners(), millis.size(), text(summary.min()), text(summary.median()),
                    text(summary.max()), text(row.millisMax()), beyond);
            Map<String, Object> figure = new TreeMap<>(summary.toMap());
            figure.put("system", row.system().toString());
            figure.put("end", end);
            figure.put("joiners", row.joiners());
            figure.put("runs", millis.size());
            figure.put("at-most", row.millisMax());
            figure.put("beyond", beyond);
            figures.add(figure);
        });
        output.put("millis", figures);
        output.print(table);
        results.forEach((row, millis) -> {
            if (row.system().isOwn()) {
                output.bound(row.name() + " in at most " + text(row.millisMax()) + " ms, " + millis.size() + " times of " + runs,
                        millis.size() == runs && Summary.of(millis).max() <= row.millisMax());
            }
        });
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, "%,.1f", value);
    }
}
