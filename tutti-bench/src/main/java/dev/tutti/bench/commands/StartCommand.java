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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Time until there is a new view: after all members start at once, after crashes, after a leave. */
@Command(
        name = "start",
        mixinStandardHelpOptions = true,
        description = {
            "Times until there is a new view: after joins, crashes, a leave.",
            "Starts members together and measures, per round: how long the join of a first member takes that finds nobody;"
                    + " from the last one's call to join until all have one view; from kill -9 of a random member, and of the"
                    + " coordinator, until all others have the view without it; how long leaving takes.",
        },
        footer = {"", "Examples:", "  tutti bench start", "  tutti bench start --members 4 --rounds 3 --systems tutti,jgroups"})
final class StartCommand implements Callable<Integer> {

    private static final double FORM_MILLIS_MAX = 1_000;
    private static final double FIRST_MILLIS_MAX = 1_000;
    private static final double CRASH_MILLIS_MAX = 250;
    private static final double LEAVE_MILLIS_MAX = 50;
    private static final int MEMBERS_MIN = 4;

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final MemberCounts members = new MemberCounts();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "10",
            description = "Of each system. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Mixin
    private final Systems systems = new Systems();

    @Option(
            names = "--settle",
            paramLabel = "DURATION",
            defaultValue = "3s",
            description = "Between the view of all and the first crash, for the JIT. Default: ${DEFAULT-VALUE}.")
    private Duration settle = Duration.ZERO;

    @Option(
            names = "--limit",
            paramLabel = "DURATION",
            defaultValue = "60s",
            description = "Time to wait for a view. Default: ${DEFAULT-VALUE}.")
    private Duration limit = Duration.ZERO;

    /** Milliseconds of one round. */
    private record Round(double first, double form, double crash, double coordinatorCrash, double leave) {}

    @Override
    public Integer call() {
        if (members.count() < MEMBERS_MIN) {
            throw new BenchException("--members is at least " + MEMBERS_MIN + ", not " + members.count());
        }
        output.put("members", members.count());
        output.print("start, " + members.count() + " processes, " + rounds + " rounds");
        Table table = new Table("system", "ms", "min", "median", "max", "at most");
        Map<String, Object> figures = new LinkedHashMap<>();
        for (SystemKind system : systems.all()) {
            List<Round> results = new ArrayList<>();
            for (int round = 1; round <= rounds; round++) {
                try {
                    results.add(round(system, round));
                } catch (BenchException e) {
                    output.fail(system + ", round " + round + ": " + e.getMessage());
                    output.progress(round + "/" + rounds + " " + system + " failed: " + e.getMessage());
                }
            }
            if (!results.isEmpty()) {
                figures.put(system.toString(), report(system, results, table));
            }
        }
        output.put("systems", figures);
        output.print(table);
        return output.finish();
    }

    private Round round(SystemKind system, int round) {
        double first = first(system);
        try (BenchCluster cluster = new BenchCluster(system, members.count(), layout())) {
            Line join = Line.of("join");
            List<Child> alive = new ArrayList<>(cluster.children());
            alive.forEach(child -> child.say(join));
            long called = Long.MIN_VALUE;
            for (Child child : alive) {
                called = Math.max(called, child.await("joined", limit).number("at"));
            }
            double form = millis(BenchCluster.awaitView(alive, members.count(), limit) - called);
            LockSupport.parkNanos(settle.toNanos());
            double cpu = 0;
            double jit = 0;
            for (Child child : alive) {
                Line cost = child.say(Line.of("cost")).await("cost", limit);
                cpu += cost.number("cpu") / 1e9;
                jit += cost.number("jit") / 1e3;
            }
            double crash = crash(alive, alive.get(ThreadLocalRandom.current().nextInt(1, alive.size())));
            double coordinatorCrash = crash(alive, coordinator(system, cluster, alive));
            Child leaver = alive.remove(ThreadLocalRandom.current().nextInt(alive.size()));
            forgetViews(alive);
            double leave = millis(leaver.say(Line.of("leave")).await("left", limit).number("took"));
            BenchCluster.awaitView(alive, alive.size(), limit);
            output.progress(String.format(
                    Locale.ROOT,
                    "%d/%d %s: first %.0f ms, form %.0f ms (CPU %.1f s, jit %.1f s), crash %.0f ms, coordinator %.0f ms, leave %.0f ms; load %s",
                    round,
                    rounds,
                    system,
                    first,
                    form,
                    cpu,
                    jit,
                    crash,
                    coordinatorCrash,
                    leave,
                    Machine.load()));
            return new Round(first, form, crash, coordinatorCrash, leave);
        }
    }

    /**
     * Returns a layout that limits compilation, for every system alike: without the second compiler, without the
     * methods that the class archive's rehearsal would have compiled at once, and the others later. Many JVMs on a
     * machine of few cores would otherwise measure how they compile, not how they meet.
     */
    private Layout layout() {
        Layout all = output.startLayout("512m");
        List<String> options = new ArrayList<>(all.options());
        options.addAll(List.of(
                "-XX:TieredStopAtLevel=1",
                "-XX:CompileThresholdScaling=4",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:+IgnoreUnrecognizedVMOptions",
                "-XX:-AOTReplayTraining"));
        return all.with(options);
    }

    /** Measures the join of a member whose seeds nobody listens on. */
    private double first(SystemKind system) {
        try (BenchCluster alone = new BenchCluster(system, members.count(), 1, layout())) {
            return millis(alone.children().getFirst().say(Line.of("join")).await("joined", limit).number("took"));
        }
    }

    /** Kills a member, and measures the time until all others have the view without it. */
    private double crash(List<Child> alive, Child victim) {
        alive.remove(victim);
        forgetViews(alive);
        long killed = System.nanoTime();
        victim.kill();
        return millis(BenchCluster.awaitView(alive, alive.size(), limit) - killed);
    }

    /** Discards views from the time of joining: one of them may have as many members as are left now. */
    private static void forgetViews(List<Child> alive) {
        alive.forEach(child -> child.takeAll("view"));
    }

    private static Child coordinator(SystemKind system, BenchCluster cluster, List<Child> alive) {
        int rank = alive.getFirst().coordinator();
        if (rank < 0) {
            throw new BenchException(system + " has not said who its coordinator is");
        }
        return cluster.children().get(rank);
    }

    private Map<String, Object> report(SystemKind system, List<Round> results, Table table) {
        Map<String, Object> figures = new LinkedHashMap<>();
        Object[][] rows = {
            {"first member's join", Summary.of(results.stream().map(Round::first).toList()), FIRST_MILLIS_MAX},
            {"all at once, one view", Summary.of(results.stream().map(Round::form).toList()), FORM_MILLIS_MAX},
            {"kill -9 of a member", Summary.of(results.stream().map(Round::crash).toList()), CRASH_MILLIS_MAX},
            {
                "kill -9 of the coordinator",
                Summary.of(results.stream().map(Round::coordinatorCrash).toList()),
                CRASH_MILLIS_MAX
            },
            {"leave", Summary.of(results.stream().map(Round::leave).toList()), LEAVE_MILLIS_MAX},
        };
        for (Object[] row : rows) {
            Summary summary = (Summary) row[1];
            double most = (double) row[2];
            table.row(system, row[0], millis(summary.min()), millis(summary.median()), millis(summary.max()), millis(most));
            figures.put((String) row[0], summary.toMap());
            if (system == SystemKind.TUTTI) {
                output.bound(
                        row[0] + " in at most " + millis(most) + " ms, " + results.size() + " times of " + rounds,
                        summary.max() <= most);
            }
        }
        return figures;
    }

    private static double millis(long nanos) {
        return nanos / 1e6;
    }

    private static String millis(double value) {
        return String.format(Locale.ROOT, "%,.1f", value);
    }
}
