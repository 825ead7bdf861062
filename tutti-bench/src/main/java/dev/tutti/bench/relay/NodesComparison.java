package dev.tutti.bench.relay;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.process.BenchCluster.Outcome;
import dev.tutti.bench.process.BenchCluster.Phase;
import dev.tutti.bench.report.Machine;
import dev.tutti.bench.report.Summary;
import dev.tutti.bench.report.Table;
import dev.tutti.bench.systems.Relay;
import dev.tutti.bench.systems.SystemKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that all send to all through a relay: tutti and a rendezvous server, bare sockets and HAProxy, JGroups and its
 * GossipRouter. They take turns, and each repetition starts new processes, warms them up and measures. Each delivery is verified.
 */
public final class NodesComparison {

    private static final double MIB = 1L << 20;
    private static final double GIB = 1L << 30;
    private static final String HEAP = "512m";
    private static final List<SystemKind> SYSTEMS = List.of(
            SystemKind.LIMIT_RELAYED, SystemKind.TUTTI_RELAYED, SystemKind.TUTTI_RELAYED_ENCRYPTED, SystemKind.JGROUPS_TUNNEL);

    /** With one phase, code that begins and ends a phase would run for the first time in the measurement. */
    private static final int WARMUPS = 8;

    /** Least part of the rate of bare sockets through HAProxy. */
    private static final double BARE_PART_MIN = 0.5;

    /**
     * Load and rounds.
     *
     * @param bytes of a message
     * @param warmup of each repetition, before it counts
     * @param time that counts
     */
    public record Plan(int members, int bytes, int repetitions, Duration warmup, Duration time) {

        public Plan {
            if (members < 2 || bytes < 1 || repetitions < 1) {
                throw new BenchException("nodes through a relay need 2 members or more, 1 B or more and 1 repetition or more, not: "
                        + members + " members, " + bytes + " B, " + repetitions + " repetitions");
            }
        }
    }

    /** @param cpuMicros CPU time of members and relay together for a delivery to another member */
    private record Trial(double messagesPerSecond, double cpuMicros, double relaySecondsPerGib, double residentBytes, double foreignCores) {}

    private final Output output;
    private final Plan plan;
    private final @Nullable Path haproxy;
    private final Map<SystemKind, List<Trial>> trials = new LinkedHashMap<>();

    /** @param haproxy the program, which is left out if it is not there */
    public NodesComparison(Output output, Plan plan, Path haproxy) {
        this.output = output;
        this.plan = plan;
        this.haproxy = Files.isExecutable(haproxy) ? haproxy : null;
    }

    /** Measures, prints, and judges. */
    public void measure() {
        for (int repetition = 1; repetition <= plan.repetitions; repetition++) {
            for (SystemKind system : SYSTEMS) {
                if (system != SystemKind.LIMIT_RELAYED || haproxy != null) {
                    measure(system, repetition + "/" + plan.repetitions + " " + system);
                }
            }
        }
        report();
        judge();
    }

    private void measure(SystemKind system, String name) {
        String fault;
        try {
            fault = measureOnce(system, name);
        } catch (BenchException e) {
            fault = String.valueOf(e.getMessage());
        }
        if (fault.isEmpty()) {
            return;
        }
        if (system.isOwn()) {
            output.fail(system + ": " + fault);
        } else {
            output.disqualify(system + ": " + fault);
        }
    }

    /** Measures once; returns what was wrong, or an empty text. */
    private String measureOnce(SystemKind system, String name) {
        List<Integer> ports = BenchCluster.freePorts(plan.members);
        try (RelayProcess relay = relay(system, ports)) {
            Layout plain = output.layoutHere(HEAP);
            List<String> options = new ArrayList<>(plain.options());
            options.add(Relay.option(relay.ports()));
            try (BenchCluster cluster = new BenchCluster(system, ports, plain.with(options))) {
                cluster.form();
                return measure(system, relay, cluster, name);
            }
        }
    }

    private RelayProcess relay(SystemKind system, List<Integer> ports) {
        if (system == SystemKind.LIMIT_RELAYED && haproxy != null) {
            return RelayProcess.haproxy(haproxy, ports);
        }
        List<String> options = output.jvmOptions(HEAP);
        return system.family().equals("tutti") ? RelayProcess.rendezvous(options, List.of()) : RelayProcess.gossipRouter(options);
    }

    private String measure(SystemKind system, RelayProcess relay, BenchCluster cluster, String name) {
        for (int number = 1; number <= WARMUPS; number++) {
            Outcome warm = cluster.run(phase(number, plan.warmup.dividedBy(WARMUPS)));
            if (!warm.faults().isEmpty()) {
                return "warm-up: " + warm.faults().getFirst();
            }
        }
        Machine before = Machine.now();
        Duration relayBefore = relay.processorTime();
        long bytesBefore = relayedBytes(system, relay);
        Outcome outcome = cluster.run(phase(WARMUPS + 1, plan.time));
        Duration relayTime = relay.processorTime().minus(relayBefore);
        Machine after = Machine.now();
        if (!outcome.faults().isEmpty()) {
            return outcome.faults().getFirst();
        }
        if (outcome.others() == 0) {
            return "nothing was delivered";
        }
        long relayed = relayedBytes(system, relay) - bytesBefore;
        if (system.family().equals("tutti") && relayed < outcome.others() * plan.bytes) {
            return "only " + relayed + " bytes have gone through the server, of " + outcome.others() * plan.bytes;
        }
        Trial trial = new Trial(
                outcome.messagesPerSecond(),
                (outcome.usage().cpuNanos() + relayTime.toNanos()) / 1e3 / outcome.others(),
                relayTime.toNanos() / 1e9 / (outcome.others() * (plan.bytes / GIB)),
                relay.residentBytes(),
                after.foreignCores(before, outcome.usage().cpuNanos() + relayTime.toNanos()));
        trials.computeIfAbsent(system, _ -> new ArrayList<>()).add(trial);
        output.progress(String.format(Locale.ROOT,
                "%-28s %,9.0f messages/s  %,7.1f MiB/s to others  %.2f µs of CPU for a delivery  relay %.2f s for a GiB  others %.2f cores"
                        + "  load %s",
                name, trial.messagesPerSecond, mibToOthers(trial), trial.cpuMicros, trial.relaySecondsPerGib, trial.foreignCores, Machine.load()));
        return "";
    }

    /** Returns the bytes that a rendezvous server has passed on; 0 for other relays, which members have no way around. */
    private static long relayedBytes(SystemKind system, RelayProcess relay) {
        return system.family().equals("tutti") ? relay.number("tutti_rendezvous_relayed_bytes_total") : 0;
    }

    private Phase phase(int number, Duration time) {
        return new Phase(number, plan.members, plan.bytes, time, Duration.ZERO, Duration.ZERO);
    }

    private double mibToOthers(Trial trial) {
        return trial.messagesPerSecond * (plan.members - 1) * plan.bytes / MIB;
    }

    private void report() {
        Table table = new Table("system", "messages/s min", "median", "max", "MiB/s to others", "of haproxy", "CPU µs/delivery",
                "relay CPU s/GiB", "relay MiB resident", "others' cores");
        Map<String, Object> figures = new LinkedHashMap<>();
        trials.forEach((system, all) -> {
            Summary rate = summary(all, Trial::messagesPerSecond);
            table.row(system,
                    number("%,.0f", rate.min()),
                    number("%,.0f", rate.median()),
                    number("%,.0f", rate.max()),
                    number("%,.0f", summary(all, this::mibToOthers).median()),
                    trials.containsKey(SystemKind.LIMIT_RELAYED) ? number("%.2f", rate.median() / rate(SystemKind.LIMIT_RELAYED)) : "",
                    number("%.2f", summary(all, Trial::cpuMicros).median()),
                    number("%.2f", summary(all, Trial::relaySecondsPerGib).median()),
                    number("%.0f", summary(all, Trial::residentBytes).max() / MIB),
                    number("%.2f", summary(all, Trial::foreignCores).median()));
            figures.put(system.toString(), Map.of(
                    "messages-per-second", rate.toMap(),
                    "cpu-micros-per-delivery", summary(all, Trial::cpuMicros).toMap(),
                    "relay-cpu-seconds-per-gib", summary(all, Trial::relaySecondsPerGib).toMap(),
                    "relay-resident-bytes", summary(all, Trial::residentBytes).toMap(),
                    "foreign-cores", summary(all, Trial::foreignCores).toMap()));
        });
        output.print(table);
        output.put("members", plan.members);
        output.put("bytes", plan.bytes);
        output.put("systems", figures);
    }

    private static Summary summary(List<Trial> all, ToDoubleFunction<Trial> figure) {
        return Summary.of(all.stream().map(figure::applyAsDouble).toList());
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    private double rate(SystemKind system) {
        return summary(trials.getOrDefault(system, List.of()), Trial::messagesPerSecond).median();
    }

    private void judge() {
        judge(SystemKind.LIMIT_RELAYED, "bare sockets through HAProxy", BARE_PART_MIN);
        judge(SystemKind.JGROUPS_TUNNEL, "JGroups through its GossipRouter", 1);
    }

    private void judge(SystemKind reference, String what, double partMin) {
        if (trials.containsKey(reference) && trials.containsKey(SystemKind.TUTTI_RELAYED)) {
            double part = rate(SystemKind.TUTTI_RELAYED) / rate(reference);
            output.bound(String.format(Locale.ROOT, "tutti through a rendezvous server has %.2f of the rate of %s, at least %.1f",
                    part, what, partMin), part >= partMin);
        }
    }
}
