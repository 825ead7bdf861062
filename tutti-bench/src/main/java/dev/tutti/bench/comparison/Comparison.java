package dev.tutti.bench.comparison;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.comparison.Trials.Trial;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Rounds;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.process.BenchCluster.Outcome;
import dev.tutti.bench.process.BenchCluster.Phase;
import dev.tutti.bench.report.Machine;
import dev.tutti.bench.systems.SystemKind;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One load on several systems. They take turns, and each repetition starts new processes, warms them up and measures.
 *
 * @param count messages of each thread in the measured phase, at most
 */
record Comparison(Output output, Rounds rounds, Layout layout, long count) {

    /**
     * Number of phases of the warm-up. With one, the code that begins and ends a phase would run for the first time in
     * the measurement, and code that was compiled on the assumption that it never runs would be discarded.
     */
    private static final int WARMUPS = 8;

    /** Cores used by other processes beyond which a repetition is marked. */
    private static final double FOREIGN_MAX = 0.25;

    /** Measures all systems; those that can't take the load are left out. */
    Map<SystemKind, Trials> run(Load load, List<SystemKind> systems) {
        Map<SystemKind, Trials> results = new LinkedHashMap<>();
        for (int repetition = 1; repetition <= rounds.repetitions(); repetition++) {
            for (SystemKind system : systems) {
                if (!load.obstacle(system).isEmpty()) {
                    continue;
                }
                Trials trials = results.computeIfAbsent(system, key -> new Trials());
                if (trials.fault() == null) {
                    repeat(load, system, trials, repetition + "/" + rounds.repetitions() + " " + system);
                }
            }
        }
        return results;
    }

    private void repeat(Load load, SystemKind system, Trials trials, String name) {
        String fault;
        try {
            fault = measure(load, system, trials, name);
        } catch (BenchException e) {
            fault = String.valueOf(e.getMessage());
        }
        if (!fault.isEmpty()) {
            trials.onFault(fault);
            if (system.isOwn()) {
                output.fail(system + ", " + load + ": " + fault);
            } else {
                output.disqualify(system + ", " + load + ": " + fault);
            }
        }
    }

    /** Measures once; returns what was wrong, or an empty text. */
    private String measure(Load load, SystemKind system, Trials trials, String name) {
        try (BenchCluster cluster = new BenchCluster(system, load.members(), layout)) {
            cluster.form();
            for (int number = 1; number <= WARMUPS; number++) {
                Phase phase = phase(load, number, rounds.warmup().dividedBy(WARMUPS), Long.MAX_VALUE);
                Outcome warm = run(cluster, phase, name + ", warm-up " + number + "/" + WARMUPS);
                if (!warm.faults().isEmpty()) {
                    return "warm-up: " + warm.faults().getFirst();
                }
            }
            Machine before = Machine.now();
            Outcome outcome = run(cluster, phase(load, WARMUPS + 1, rounds.time(), count), name);
            Machine after = Machine.now();
            Trial trial = new Trial(outcome, after.foreignCores(before, outcome.usage().cpuNanos()), Machine.load());
            Optional<String> fault = outcome.faults().stream().findFirst();
            if (fault.isEmpty()) {
                trials.add(trial);
                output.progress(String.format(Locale.ROOT, "%-22s %s", name, line(load, trial)));
            }
            return fault.orElse("");
        }
    }

    private static Phase phase(Load load, int number, Duration time, long count) {
        return new Phase(
                number, load.senders(), load.threads(), load.bytes(), time, count, Duration.ZERO, Duration.ZERO);
    }

    private Outcome run(BenchCluster cluster, Phase phase, String name) {
        AtomicLong before = new AtomicLong();
        long began = System.nanoTime();
        output.tick(name);
        return cluster.run(phase, received -> {
            long more = Math.max(0, received - before.getAndSet(received));
            output.tick(String.format(
                    Locale.ROOT, "%s  %,.0f s  %,d deliveries/s", name, (System.nanoTime() - began) / 1e9, more));
        });
    }

    private static String line(Load load, Trial trial) {
        return String.format(
                Locale.ROOT,
                "%,12.0f messages/s  %,8.1f MiB/s  %.2f µs CPU/delivery  jit %,d ms%s  others %.2f cores  load %s%s",
                trial.rate(),
                trial.rate() * load.bytes() / (1 << 20),
                trial.cpuMicros(),
                trial.outcome().usage().jitMillis(),
                trial.perPacket() == 0 ? "" : String.format(Locale.ROOT, "  %.1f messages/packet", trial.perPacket()),
                trial.foreignCores(),
                trial.load(),
                trial.foreignCores() > FOREIGN_MAX ? "  (contaminated)" : "");
    }
}
