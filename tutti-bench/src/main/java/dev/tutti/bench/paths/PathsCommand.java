package dev.tutti.bench.paths;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.comparison.Load;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Rounds;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.report.Latencies;
import dev.tutti.bench.report.Machine;
import dev.tutti.bench.systems.Spaces;
import dev.tutti.core.settings.Size;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measurements through a grid, beside bare sockets. */
@Command(
        name = "grid",
        mixinStandardHelpOptions = true,
        description = {
            "Measurements from producers to consumers, beside bare sockets.",
            "Round trips and streams between two processes by size, and streams of many producers to one consumer: over one"
                    + " connection, a connection for each message, between members of a grid, and through a mediator by"
                    + " WebSocket and by posts of JSON. Each arrival is compared with what was sent.",
        },
        footer = {
            "",
            "Examples:",
            "  tutti perf grid --html grid.html",
            "  tutti perf grid --paths socket,direct --size 512KiB,1MiB --repetitions 5",
            "  tutti perf grid --paths socket,mediator --size 1KiB --producers 1,100 --time 5s",
            "  tutti perf grid --link 1gbit --html lan.html   as on a LAN; needs root",
            "  tutti perf grid --short",
        })
public final class PathsCommand implements Callable<Integer> {

    /** Defaults of options that it shares with other commands. */
    public static final Map<String, String> DEFAULTS = Map.of("--repetitions", "3", "--warmup", "2s", "--time", "2s");

    private static final String CONGESTION = "tcp-congestion-control";

    private static final int PRODUCERS_MAX = 1_000;
    private static final int SIZE_MAX = 4 << 20;
    private static final double MEDIAN = 50;

    @Option(
            names = "--paths",
            paramLabel = "PATH",
            split = ",",
            defaultValue = "SOCKET,SOCKET_EACH,DIRECT,MEDIATOR,POST",
            description = "Of ${COMPLETION-CANDIDATES}. Default: all.")
    private List<PathKind> paths = List.of();

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            split = ",",
            defaultValue = "1B,1KiB,16KiB,128KiB,512KiB,1MiB",
            description = "Of a measurement's body, 1 B to 4 MiB. Default: ${DEFAULT-VALUE}.")
    private List<Size> sizes = List.of();

    @Option(
            names = "--producers",
            paramLabel = "N",
            split = ",",
            defaultValue = "1,10,100",
            description = "Producers that send to one consumer at a time, 1 to 1000; 0 leaves that out. Default: ${DEFAULT-VALUE}.")
    private List<Integer> producers = List.of();

    @Option(
            names = "--link",
            paramLabel = "RATE",
            description = "Puts each process into a network namespace with a card of this rate in each direction, such as 1gbit; needs root."
                    + " Default: loopback.")
    private String link = "";

    @Mixin
    private final Rounds rounds = new Rounds();

    @Mixin
    private final Output output = new Output();

    private final PathResults results = new PathResults(output);

    @Override
    public Integer call() {
        List<Integer> bytes = sizes.stream().map(size -> size(size.bytes())).toList();
        producers.forEach(count -> check("--producers", count, 0, PRODUCERS_MAX));
        if (rounds.isShort()) {
            bytes = bytes.subList(0, Math.min(2, bytes.size()));
        }
        output.title("Measurements from producers to consumers, " + (link.isEmpty() ? "loopback" : "cards of " + link) + ", " + rounds);
        paths.forEach(path -> output.note(path + ": " + path.description()));
        Layout layout = output.layoutHere("512m");
        if (link.isEmpty()) {
            measure(bytes, layout, null);
        } else {
            // As outside of namespaces.
            String congestion = String.valueOf(Machine.description().get(CONGESTION));
            try (Spaces spaces = new Spaces(PathPair.ROLES.size(), link, congestion)) {
                measure(bytes, layout, spaces);
            }
        }
        results.report(bytes);
        return output.finish();
    }

    private void measure(List<Integer> bytes, Layout layout, @Nullable Spaces spaces) {
        for (int repetition = 1; repetition <= rounds.repetitions(); repetition++) {
            for (PathKind path : paths) {
                try (PathPair pair = new PathPair(path, 1, layout, spaces)) {
                    measure(pair, path, bytes, repetition);
                } catch (BenchException e) {
                    output.fail(path + ": " + e.getMessage());
                }
            }
            for (int count : producers) {
                for (PathKind path : count == 0 ? List.<PathKind>of() : paths.stream().filter(PathKind::takesMany).toList()) {
                    try (PathPair pair = new PathPair(path, count, layout, spaces)) {
                        measureMany(pair, path, count, repetition);
                    } catch (BenchException e) {
                        output.fail(path + ", " + count + " producers: " + e.getMessage());
                    }
                }
            }
        }
    }

    private static int size(long bytes) {
        check("--size", bytes, 1, SIZE_MAX - 1_024);
        return (int) bytes;
    }

    private static void check(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw new BenchException(option + " is " + value + ", " + min + " to " + max);
        }
    }

    private void measure(PathPair pair, PathKind path, List<Integer> bytes, int repetition) {
        for (int size : bytes) {
            if (!path.takes(size)) {
                results.skip(path, size);
                continue;
            }
            pair.ping(size, rounds.warmup());
            Histogram trips = pair.ping(size, rounds.time());
            results.add(path, size, trips);
            pair.stream(size, rounds.warmup());
            PathPair.Streamed stream = pair.stream(size, rounds.time());
            results.add(path, size, stream);
            output.progress(String.format(Locale.ROOT, "%d/%d %-11s %8s: round trip %s µs; %,.0f/s, %,.1f MiB/s; load %s",
                    repetition, rounds.repetitions(), path, Load.print(size), Latencies.printMicros(trips, MEDIAN),
                    stream.perSecond(), PathResults.mebibytes(size, stream), Machine.load()));
        }
    }

    private void measureMany(PathPair pair, PathKind path, int count, int repetition) {
        pair.stream(PathResults.MANY_BYTES, rounds.warmup());
        PathPair.Streamed stream = pair.stream(PathResults.MANY_BYTES, rounds.time());
        results.addMany(path, count, stream);
        output.progress(String.format(Locale.ROOT, "%d/%d %-11s %,d producers: %,.0f/s; load %s", repetition,
                rounds.repetitions(), path, count, stream.perSecond(), Machine.load()));
    }
}
