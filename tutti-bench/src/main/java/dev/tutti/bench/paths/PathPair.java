package dev.tutti.bench.paths;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.process.Child;
import dev.tutti.bench.process.Host;
import dev.tutti.bench.process.Line;
import dev.tutti.bench.report.Latencies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** The processes of a path: one that asks, one that answers, and a mediator if it has one. */
final class PathPair implements AutoCloseable {

    private static final Duration OPEN_MAX = Duration.ofSeconds(60);
    private static final Duration SLACK = Duration.ofSeconds(40);

    /**
     * A stream that has arrived.
     *
     * @param told number of losses that consumers were told of
     * @param processorNanos CPU time of all processes of the path
     */
    record Streamed(long count, double seconds, long lost, long told, long processorNanos) {

        /** The first content begins the time. */
        double perSecond() {
            return seconds == 0 ? 0 : (count - 1) / seconds;
        }

        /** Returns the CPU time for each content, in microseconds. */
        double processorMicros() {
            return count == 0 ? 0 : processorNanos / 1e3 / count;
        }
    }

    private final PathKind kind;
    private final int sources;
    private final Layout layout;
    private final List<Host> hosts = new ArrayList<>();
    private final Child asks;
    private final Child answers;

    PathPair(PathKind kind, int sources, Layout layout) {
        this.kind = kind;
        this.sources = sources;
        this.layout = layout;
        try {
            List<String> ports = BenchCluster.freePorts(2).stream().map(String::valueOf).toList();
            switch (kind) {
                case SOCKET, SOCKET_EACH -> {
                    answers = start("answers", "0");
                    asks = start("asks", answers.await("open", OPEN_MAX).text("at"));
                }
                case DIRECT -> {
                    answers = start("answers", String.join(",", ports));
                    answers.await("open", OPEN_MAX);
                    asks = start("asks", String.join(",", ports.reversed()));
                }
                case MEDIATOR, POST -> {
                    String mediator = start("mediates", ports.getFirst()).await("open", OPEN_MAX).text("at");
                    answers = start("answers", mediator);
                    answers.await("open", OPEN_MAX);
                    asks = start("asks", mediator);
                }
                default -> throw new IllegalStateException(kind.toString());
            }
            asks.await("open", OPEN_MAX);
            for (Child end : List.of(answers, asks)) {
                end.say(Line.of("connect")).await("connected", OPEN_MAX);
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private Child start(String role, String target) {
        List<String> prefix = layout.cores().isEmpty()
                ? List.of()
                : List.of("taskset", "-c", Integer.toString(layout.cores().get(hosts.size() % layout.cores().size())));
        Host host = new Host(kind + " " + role, prefix, layout.options(), PathProcess.class.getName(),
                List.of(role, kind.name(), Integer.toString(sources), target), List.of(0));
        hosts.add(host);
        return host.children().getFirst();
    }

    /** Sends contents and waits for the answer to each. */
    Histogram ping(int size, Duration time) {
        answers.say(Line.of("begin").with("size", size).with("every", 1)).await("begun", SLACK);
        Line pinged = asks.say(Line.of("ping").with("size", size).with("nanos", time.toNanos())).await("pinged", time.plus(SLACK));
        check(pinged);
        check(awaitAll(pinged.number("count")));
        return Latencies.parse(pinged.text("nanos"));
    }

    /** Sends contents as fast as possible. */
    Streamed stream(int size, Duration time) {
        int every = PathProcess.answerEvery(kind, size, sources);
        answers.say(Line.of("begin").with("size", size).with("every", every)).await("begun", SLACK);
        long before = processorNanos();
        Line streamed = asks.say(Line.of("stream").with("size", size).with("nanos", time.toNanos())).await("streamed", time.plus(SLACK));
        Line arrived = awaitAll(streamed.number("count"));
        check(arrived);
        return new Streamed(arrived.number("count"), arrived.number("nanos") / 1e9, arrived.number("lost"), arrived.number("told"),
                processorNanos() - before);
    }

    private long processorNanos() {
        return hosts.stream()
                .map(host -> host.children().getFirst())
                .mapToLong(child -> child.say(Line.of("processor")).await("processor", SLACK).number("nanos"))
                .sum();
    }

    private Line awaitAll(long count) {
        return answers.say(Line.of("await").with("count", count)).await("arrived", SLACK);
    }

    private void check(Line line) {
        String fault = line.text("fault");
        if (!fault.isEmpty()) {
            throw new BenchException(kind + ": " + fault.replace('_', ' '));
        }
    }

    @Override
    public void close() {
        hosts.reversed().forEach(Host::close);
    }
}
