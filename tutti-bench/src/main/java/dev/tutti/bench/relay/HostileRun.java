package dev.tutti.bench.relay;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.relay.Stream.Access;
import dev.tutti.bench.report.Latencies;
import dev.tutti.bench.report.Machine;
import dev.tutti.bench.report.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Pairs through a rendezvous server, and nodes that come to it, before hostile clients are there and while they are. */
public final class HostileRun {

    private static final double MIB = 1L << 20;
    private static final String TOKEN = "3aJ0fYx2Q8mZ5uKe";
    private static final String HOSTILE_TOKEN = "W8s1nR6tLqPz4vBd";
    private static final int PAIRS = 8;
    private static final int WARMUP_SECONDS = 3;
    private static final long RESIDENT_MAX = 256L << 20;

    /** A multiple of the first wait for a lost SYN, RFC 6298. */
    private static final double NEWCOMER_SECONDS_MAX = 3;

    private final Output output;
    private final int count;
    private final int seconds;

    private record Part(String name, Histogram times, Histogram newcomers, long residentBytes, double serverCores) {}

    public HostileRun(Output output, int count, int seconds) {
        this.output = output;
        this.count = count;
        this.seconds = seconds;
    }

    /** Measures, prints, and judges. */
    public void measure() throws IOException, InterruptedException {
        Path tokens = Files.createTempFile(
                "tutti-bench-", ".tokens", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            Files.writeString(tokens, "bench " + TOKEN + "\nhostile " + HOSTILE_TOKEN + "\n");
            try (RelayProcess server = RelayProcess.rendezvous(
                            output.jvmOptions("128m"), List.of("rendezvous-server.tokens-file=" + tokens));
                    EchoPairs pairs = new EchoPairs(server.port(), new Access("bench", TOKEN), PAIRS)) {
                measure(server, pairs);
            }
        } finally {
            Files.deleteIfExists(tokens);
        }
    }

    private void measure(RelayProcess server, EchoPairs pairs) throws IOException, InterruptedException {
        TimeUnit.SECONDS.sleep(WARMUP_SECONDS);
        pairs.newcomer(0);
        pairs.times();
        List<Part> parts = new ArrayList<>();
        parts.add(part("quiet", server, pairs, 1));
        try (HostileClients clients = new HostileClients(server.port(), HOSTILE_TOKEN, count)) {
            pairs.times();
            parts.add(part("attacked", server, pairs, 1 + seconds));
            output.progress(String.format(Locale.ROOT, "%,d of %,d hostile clients connected at the end, %,d attempts, load %s",
                    clients.present(), clients.count(), clients.attempts(), Machine.load()));
            output.put("present", clients.present());
            output.put("attempts", clients.attempts());
        }
        pairs.times();
        parts.add(part("afterwards", server, pairs, 1 + 2 * seconds));
        report(parts);
        for (String fault : pairs.faults()) {
            output.fail("a pair was broken: " + fault);
        }
    }

    /** Lets a newcomer come each second. */
    private Part part(String name, RelayProcess server, EchoPairs pairs, int firstNumber) throws InterruptedException {
        Histogram newcomers = Latencies.histogram();
        long most = 0;
        long began = System.nanoTime();
        long processorNanos = server.processorTime().toNanos();
        for (int second = 0; second < seconds; second++) {
            try {
                newcomers.recordValue(Math.min(pairs.newcomer(firstNumber + second), Latencies.NANOS_MAX));
            } catch (IOException e) {
                output.fail(name + ": a newcomer with a token was not let in: " + e.getMessage());
            }
            most = Math.max(most, server.residentBytes());
            TimeUnit.SECONDS.sleep(1);
        }
        double cores = (server.processorTime().toNanos() - processorNanos) / (double) (System.nanoTime() - began);
        Part part = new Part(name, pairs.times(), newcomers, most, cores);
        if (part.times.getTotalCount() == 0) {
            throw new BenchException(name + ": no pair has carried anything");
        }
        return part;
    }

    private void report(List<Part> parts) {
        Table table = new Table("", "round trips", "median ms", "p99", "max", "newcomers", "median ms", "max", "server MiB", "server cores");
        for (Part part : parts) {
            table.row(part.name, part.times.getTotalCount(), millis(part.times, 50), millis(part.times, 99), millis(part.times, 100),
                    part.newcomers.getTotalCount(), millis(part.newcomers, 50), millis(part.newcomers, 100),
                    String.format(Locale.ROOT, "%.0f", part.residentBytes / MIB), String.format(Locale.ROOT, "%.2f", part.serverCores));
            output.put(part.name, Map.of(
                    "round-trips", Latencies.toMap(part.times),
                    "newcomers", Latencies.toMap(part.newcomers),
                    "resident-bytes", part.residentBytes,
                    "server-cores", part.serverCores));
        }
        output.print(table);
        long most = parts.stream().mapToLong(Part::residentBytes).max().orElse(0);
        output.bound(String.format(Locale.ROOT, "resident memory: %.0f MiB, at most %.0f", most / MIB, RESIDENT_MAX / MIB), most <= RESIDENT_MAX);
        double slowest = Latencies.micros(parts.get(1).newcomers, 100) / 1e6;
        output.bound(String.format(Locale.ROOT, "the slowest newcomer among hostile clients: %.2f s, at most %.0f s", slowest, NEWCOMER_SECONDS_MAX),
                slowest <= NEWCOMER_SECONDS_MAX);
    }

    private static String millis(Histogram histogram, double percentile) {
        return String.format(Locale.ROOT, "%,.2f", Latencies.micros(histogram, percentile) / 1e3);
    }
}
