package dev.tutti.bench.commands;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.relay.HostileRun;
import dev.tutti.bench.relay.IdleNodes;
import dev.tutti.bench.relay.NodesComparison;
import dev.tutti.bench.relay.Pairs;
import dev.tutti.bench.relay.RelayProcess;
import dev.tutti.bench.relay.Stream.Way;
import dev.tutti.bench.report.Summary;
import dev.tutti.bench.report.Table;
import dev.tutti.core.settings.Size;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Throughput of the rendezvous server's relay, and the memory of idle nodes. */
@Command(
        name = "relay",
        mixinStandardHelpOptions = true,
        description = {
            "Bytes through a rendezvous server, and its memory with idle nodes.",
            "The server is a process of its own on loopback; the ends of all pairs are in this one, and send from one end to"
                    + " the other. HAProxy in TCP mode is measured in the same rounds if it is there.",
            "With --mode nodes, nodes in processes of their own all send to all through the server. Bare sockets through HAProxy,"
                    + " and JGroups through its GossipRouter, are measured in the same rounds; each delivery is verified.",
        },
        footer = {
            "",
            "Examples:",
            "  tutti perf relay",
            "  tutti perf relay --pairs 1 --ways raw --seconds 10",
            "  tutti perf relay --mode nodes --repetitions 5",
            "  tutti perf relay --idle 5000 --heap 128m",
            "  tutti perf relay --stuck 1000 --heap 128m",
            "  tutti perf relay --hostile 10000 --heap 128m --seconds 30",
            "  tutti perf relay --idle 5000 --ways tls --tls-certificate server.pem --tls-key server-key.pem",
        })
final class RelayCommand implements Callable<Integer> {

    private static final double GIB = 1L << 30;
    private static final double MIB = 1L << 20;
    private static final List<String> WAYS = List.of("raw", "websocket");
    private static final String HAPROXY = "haproxy";

    @Mixin
    private final Output output = new Output();

    @Option(names = "--mode", paramLabel = "WHAT", defaultValue = "streams",
            description = "streams: bytes of pairs; nodes: messages from all to all. Default: ${DEFAULT-VALUE}.")
    private Mode mode = Mode.STREAMS;

    @Option(names = "--members", paramLabel = "N", defaultValue = "4", description = "Of --mode nodes. Default: ${DEFAULT-VALUE}.")
    private int members;

    @Option(names = "--size", paramLabel = "SIZE", defaultValue = "1KiB", description = "Of a message of --mode nodes. Default: ${DEFAULT-VALUE}.")
    private Size size = Size.bytes(0);

    @Option(names = "--warmup", paramLabel = "DURATION", defaultValue = "16s",
            description = "Of --mode nodes, in each repetition. Default: ${DEFAULT-VALUE}.")
    private Duration warmup = Duration.ZERO;

    @Option(names = "--pairs", paramLabel = "N", split = ",", defaultValue = "1,4", description = "Pairs that send at a time. Default: ${DEFAULT-VALUE}.")
    private List<Integer> pairs = List.of();

    @Option(names = "--ways", paramLabel = "WAY", split = ",",
            description = "raw, websocket, tls: the connections to the server. Default: raw,websocket; raw for idle nodes.")
    private List<String> ways = List.of();

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "5", description = "Of each measurement. Default: ${DEFAULT-VALUE}.")
    private int seconds;

    @Option(names = "--repetitions", paramLabel = "N", defaultValue = "3", description = "Default: ${DEFAULT-VALUE}.")
    private int repetitions;

    @Option(names = "--idle", paramLabel = "N", description = "Measures the memory of this many idle nodes instead.")
    private int idle;

    @Option(names = "--stuck", paramLabel = "N", description = "Measures the memory of this many pairs of which one end does not read, instead.")
    private int stuck;

    @Option(names = "--hostile", paramLabel = "N",
            description = "Measures pairs and newcomers while this many clients are silent, slow, send garbage, or never pair, instead.")
    private int hostile;

    @Option(names = "--tls-certificate", paramLabel = "FILE", description = "PEM file with the server's certificate, for tls.")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "PEM file with its key.")
    private @Nullable Path key;

    @Option(names = "--haproxy", paramLabel = "FILE", defaultValue = "/usr/sbin/haproxy", description = "Default: ${DEFAULT-VALUE}.")
    private Path haproxy = Path.of("/usr/sbin/haproxy");

    private enum Mode {
        STREAMS,
        NODES
    }

    private record Case(String relay, int pairs) {}

    private record Result(double bytesPerSecond, double processorSecondsPerGib) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (mode == Mode.NODES) {
            output.title(members + " nodes that all send to all through a relay");
            Duration time = Duration.ofSeconds(seconds);
            var plan = new NodesComparison.Plan(members, Math.toIntExact(size.bytes()), repetitions, warmup, time);
            new NodesComparison(output, plan, haproxy).measure();
        } else if (hostile > 0) {
            output.title(String.format(Locale.ROOT, "%,d hostile clients at a rendezvous server", hostile));
            new HostileRun(output, hostile, seconds).measure();
        } else if (idle > 0) {
            output.title(String.format(Locale.ROOT, "%,d idle nodes at a rendezvous server", idle));
            for (String way : ways.isEmpty() ? List.of("raw") : ways) {
                idle(way(way));
            }
        } else if (stuck > 0) {
            output.title(String.format(Locale.ROOT, "%,d pairs through a rendezvous server, of which one end does not read", stuck));
            for (String way : ways.isEmpty() ? WAYS : ways) {
                stuck(way(way));
            }
        } else {
            output.title("Bytes through a relay");
            throughput();
        }
        return output.finish();
    }

    private static Way way(String text) {
        try {
            return Way.valueOf(text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new BenchException("--ways has raw, websocket and tls, not " + text);
        }
    }

    private RelayProcess server(Way way) {
        List<String> settings = new ArrayList<>(List.of(
                "rendezvous-server.nodes-max=100000",
                "rendezvous-server.cluster-nodes-max=100000",
                "rendezvous-server.host-nodes-max=100000",
                // Stuck pairs stay as long as they are measured.
                "rendezvous-server.stall-timeout=5 min"));
        if (way == Way.TLS) {
            if (certificate == null || key == null) {
                throw new BenchException("--ways tls needs --tls-certificate and --tls-key; tutti certs makes both");
            }
            settings.add("rendezvous-server.tls-certificate=" + certificate);
            settings.add("rendezvous-server.tls-key=" + key);
        }
        return RelayProcess.rendezvous(output.jvmOptions("128m"), settings);
    }

    // ------------------------------------------------------------------ idle nodes

    private void idle(Way way) throws IOException, InterruptedException {
        if (way == Way.WEBSOCKET) {
            throw new BenchException("idle nodes are measured with --ways raw, tls");
        }
        try (RelayProcess server = server(way)) {
            long before = server.residentBytes();
            try (IdleNodes nodes = new IdleNodes(server.port(), way, idle)) {
                TimeUnit.SECONDS.sleep(seconds * 4L);
                long after = server.residentBytes();
                String name = way.name().toLowerCase(Locale.ROOT);
                Table table = new Table(name, "");
                table.row("nodes present", nodes.present());
                table.row("resident memory without nodes, MiB", String.format(Locale.ROOT, "%.0f", before / MIB));
                table.row("resident memory with nodes, MiB", String.format(Locale.ROOT, "%.0f", after / MIB));
                table.row("bytes for each node", (after - before) / idle);
                output.print(table);
                output.put(name, Map.of("nodes", nodes.present(), "before-bytes", before, "after-bytes", after));
                output.bound(name + ": " + nodes.present() + " nodes are present, of " + idle, nodes.present() == idle);
            }
        }
    }

    // ------------------------------------------------------------------ stuck pairs

    private void stuck(Way way) throws InterruptedException {
        try (RelayProcess server = server(way);
                Pairs _ = Pairs.stuck(server.port(), way, stuck)) {
            long most = 0;
            for (int second = 0; second < seconds * 4; second++) {
                TimeUnit.SECONDS.sleep(1);
                most = Math.max(most, server.residentBytes());
            }
            try (Pairs others = Pairs.relayed(server.port(), way, 1)) {
                Map<Case, List<Result>> results = new LinkedHashMap<>();
                Case key = new Case(way.name().toLowerCase(Locale.ROOT), 1);
                measure(key, server, others, results);
                most = Math.max(most, server.residentBytes());
                output.put(key.relay, Map.of("resident-bytes", most));
                Table table = new Table(key.relay, "");
                table.row("highest resident memory, MiB", String.format(Locale.ROOT, "%.0f", most / MIB));
                table.row("another pair, MiB/s", String.format(Locale.ROOT, "%,.0f",
                        Objects.requireNonNull(results.get(key)).getFirst().bytesPerSecond / MIB));
                output.print(table);
            }
        }
    }

    // ------------------------------------------------------------------ throughput

    private void throughput() throws IOException, InterruptedException {
        Map<Case, List<Result>> results = new LinkedHashMap<>();
        for (int repetition = 1; repetition <= repetitions; repetition++) {
            for (int count : pairs) {
                if (Files.isExecutable(haproxy)) {
                    try (ServerSocket target = Pairs.target();
                            RelayProcess relay = RelayProcess.haproxy(haproxy, List.of(target.getLocalPort())).awaitPort()) {
                        // The connection that found out that its port is open.
                        target.accept().close();
                        try (Pairs load = Pairs.bare(target, relay.port(), count)) {
                            measure(new Case(HAPROXY, count), relay, load, results);
                        }
                    }
                }
                for (String name : ways.isEmpty() ? WAYS : ways) {
                    Way way = way(name);
                    try (RelayProcess relay = server(way);
                            Pairs load = Pairs.relayed(relay.port(), way, count)) {
                        measure(new Case(name, count), relay, load, results);
                    }
                }
            }
        }
        report(results);
    }

    private void measure(Case key, RelayProcess relay, Pairs load, Map<Case, List<Result>> results) throws InterruptedException {
        TimeUnit.SECONDS.sleep(seconds);
        long bytes = load.receivedBytes();
        long startNanos = System.nanoTime();
        long processorNanos = relay.processorTime().toNanos();
        TimeUnit.SECONDS.sleep(seconds);
        double count = load.receivedBytes() - bytes;
        double elapsed = (System.nanoTime() - startNanos) / 1e9;
        double processor = (relay.processorTime().toNanos() - processorNanos) / 1e9;
        Result result = new Result(count / elapsed, processor / (count / GIB));
        results.computeIfAbsent(key, _ -> new ArrayList<>()).add(result);
        output.progress(String.format(Locale.ROOT, "%s, %d pairs: %,.0f MiB/s, %.2f s of CPU for a GiB, %.0f MiB resident",
                key.relay, key.pairs, result.bytesPerSecond / MIB, result.processorSecondsPerGib, relay.residentBytes() / MIB));
    }

    private void report(Map<Case, List<Result>> results) {
        Table table = new Table("relay", "pairs", "MiB/s min", "median", "max", "of haproxy", "CPU s/GiB");
        Map<String, Object> figures = new LinkedHashMap<>();
        results.forEach((key, all) -> {
            Summary rate = Summary.of(all.stream().map(each -> each.bytesPerSecond / MIB).toList());
            Summary processor = Summary.of(all.stream().map(Result::processorSecondsPerGib).toList());
            List<Result> reference = results.getOrDefault(new Case(HAPROXY, key.pairs), List.of());
            String ratio = reference.isEmpty()
                    ? ""
                    : String.format(Locale.ROOT, "%.2f", rate.median()
                            / Summary.of(reference.stream().map(each -> each.bytesPerSecond / MIB).toList()).median());
            table.row(key.relay, key.pairs, String.format(Locale.ROOT, "%,.0f", rate.min()),
                    String.format(Locale.ROOT, "%,.0f", rate.median()), String.format(Locale.ROOT, "%,.0f", rate.max()), ratio,
                    String.format(Locale.ROOT, "%.2f", processor.median()));
            figures.put(key.relay + " " + key.pairs, rate.toMap());
        });
        output.print(table);
        output.put("mib-per-second", figures);
    }
}
