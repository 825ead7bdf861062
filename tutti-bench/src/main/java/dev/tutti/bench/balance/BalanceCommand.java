package dev.tutti.bench.balance;

import dev.tutti.bench.options.Output;
import dev.tutti.bench.relay.RelayProcess;
import dev.tutti.bench.report.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** Requests per second, CPU and latency of the balancer, beside HAProxy. */
@Command(
        name = "balance",
        mixinStandardHelpOptions = true,
        description = {
            "Requests through the balancer and through HAProxy, to the same web nodes.",
            "Balancer, HAProxy and the nodes are processes of their own on loopback; the clients are in this one. First requests go as"
                    + " fast as answers come, then at a rate; times at a rate begin when a request is due.",
            "With --faults it checks what the balancer promises instead: 80 sessions at each node, within 2, as nodes are added; under 200 clients"
                    + " one node is killed, where only requests in flight fail that may not be sent again, and none that is sent 100 ms later;"
                    + " one node is drained, and none fails. The exit code is 1 if a promise does not hold.",
        },
        footer = {
            "",
            "Examples:",
            "  tutti perf balance",
            "  tutti perf balance --nodes 4 --connections 64 --rate 10000 --seconds 10",
            "  tutti perf balance --faults",
        })
public final class BalanceCommand implements Callable<Integer> {

    private static final String OURS = "tutti balance";
    private static final String HAPROXY = "HAProxy";
    private static final double RATE_WANTED = 10_000;

    /** One is killed, one is drained, and one serves. */
    private static final int NODES_OF_FAULTS_MIN = 3;

    @Mixin
    private final Output output = new Output();

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "4", description = "Web nodes. Default: ${DEFAULT-VALUE}.")
    private int nodes;

    @Option(names = "--connections", paramLabel = "N", defaultValue = "64", description = "Connections of clients. Default: ${DEFAULT-VALUE}.")
    private int connections;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "5000", description = "Requests per second of the second part. Default: ${DEFAULT-VALUE}.")
    private int rate;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "5", description = "Of each measurement; as long before for warming up. Default: ${DEFAULT-VALUE}.")
    private int seconds;

    @Option(names = "--repetitions", paramLabel = "N", defaultValue = "3", description = "Default: ${DEFAULT-VALUE}.")
    private int repetitions;

    @Option(names = "--haproxy", paramLabel = "FILE", defaultValue = "/usr/sbin/haproxy", description = "Default: ${DEFAULT-VALUE}.")
    private Path haproxy = Path.of("/usr/sbin/haproxy");

    @Option(names = "--faults", description = "Checks promises under faults, and measures nothing.")
    private boolean isFaults;

    private record Measured(double perSecond, double processorMicros, double p50Millis, double p99Millis, long failures) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (isFaults) {
            new FaultCheck(output, Math.max(NODES_OF_FAULTS_MIN, nodes)).run();
            return output.finish();
        }
        output.title("Requests through a balancer, with " + nodes + " nodes and " + connections + " connections");
        Map<String, List<Measured>> results = new LinkedHashMap<>();
        for (int repetition = 1; repetition <= repetitions; repetition++) {
            try (RelayProcess balancer = RelayProcess.java("balancer", BalancerMain.class, output.jvmOptions("256m"), List.of());
                    RelayProcess web = RelayProcess.java(
                            "web nodes", WebNodes.class, output.jvmOptions("256m"), List.of(String.valueOf(nodes), balancer.words().getFirst()))) {
                measure(OURS, balancer, balancer.port(), results);
                if (Files.isExecutable(haproxy)) {
                    List<Integer> targets =
                            Arrays.stream(web.words().getFirst().split(",")).map(Integer::valueOf).toList();
                    try (RelayProcess other = RelayProcess.haproxyForHttp(haproxy, targets).awaitPort()) {
                        measure(HAPROXY, other, other.port(), results);
                    }
                }
            }
        }
        report(results);
        return output.finish();
    }

    private void measure(String system, RelayProcess process, int port, Map<String, List<Measured>> results) throws InterruptedException {
        HttpLoad load = new HttpLoad(port, connections);
        load.run(seconds, 0);
        long processorNanos = process.processorTime().toNanos();
        HttpLoad.Result fast = load.run(seconds, 0);
        processorNanos = process.processorTime().toNanos() - processorNanos;
        HttpLoad.Result paced = load.run(seconds, rate);
        Measured measured = new Measured(
                fast.requests() / fast.seconds(),
                processorNanos / 1e3 / Math.max(1, fast.requests()),
                paced.latencies().getValueAtPercentile(50) / 1e6,
                paced.latencies().getValueAtPercentile(99) / 1e6,
                fast.failures() + paced.failures());
        results.computeIfAbsent(system, _ -> new ArrayList<>()).add(measured);
        output.progress(String.format(Locale.ROOT, "%s: %,.0f requests/s, %.1f us of CPU each, p50 %.2f ms and p99 %.2f ms at %,d/s (%,d answered)",
                system, measured.perSecond, measured.processorMicros, measured.p50Millis, measured.p99Millis, rate, paced.requests()));
    }

    private void report(Map<String, List<Measured>> results) {
        Table table = new Table("balancer", "requests/s", "CPU, us/request", "p50 at " + rate + "/s, ms", "p99, ms", "failures");
        results.forEach((system, all) -> {
            Measured middle = all.stream()
                    .sorted((one, two) -> Double.compare(one.perSecond, two.perSecond))
                    .toList()
                    .get(all.size() / 2);
            long failures = all.stream().mapToLong(Measured::failures).sum();
            table.row(
                    system,
                    String.format(Locale.ROOT, "%,.0f", middle.perSecond),
                    String.format(Locale.ROOT, "%.1f", middle.processorMicros),
                    String.format(Locale.ROOT, "%.2f", middle.p50Millis),
                    String.format(Locale.ROOT, "%.2f", middle.p99Millis),
                    failures);
            output.put(system, Map.of(
                    "requests-per-second", middle.perSecond,
                    "cpu-micros", middle.processorMicros,
                    "p50-millis", middle.p50Millis,
                    "p99-millis", middle.p99Millis,
                    "failures", failures));
            if (system.equals(OURS)) {
                output.bound(String.format(Locale.ROOT, "%s: %,.0f requests/s, at least %,.0f", system, middle.perSecond, RATE_WANTED),
                        middle.perSecond >= RATE_WANTED && failures == 0);
            }
        });
        output.print(table);
    }
}
