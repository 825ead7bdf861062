package dev.tutti.bench.paths;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.process.Child;
import dev.tutti.bench.process.Host;
import dev.tutti.bench.process.Line;
import dev.tutti.bench.report.Latencies;
import dev.tutti.bench.systems.Spaces;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The processes of a path: one that asks, one that answers, and a mediator if it has one. */
final class PathPair implements AutoCloseable {

    /** Roles of processes, and the order of their namespaces. */
    static final List<String> ROLES = List.of("answers", "asks", "mediates");

    private static final String ANSWERS = ROLES.get(0);
    private static final String ASKS = ROLES.get(1);
    private static final String MEDIATES = ROLES.get(2);
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

    private static final String LOOPBACK = "127.0.0.1";

    private final PathKind kind;
    private final int sources;
    private final Layout layout;
    private final @Nullable Spaces spaces;
    private final List<Host> hosts = new ArrayList<>();
    private final Child asks;
    private final Child answers;

    /** @param spaces namespaces of the end that answers, of the one that asks, and of the mediator; null for loopback */
    PathPair(PathKind kind, int sources, Layout layout, @Nullable Spaces spaces) {
        this.kind = kind;
        this.sources = sources;
        this.layout = layout;
        this.spaces = spaces;
        try {
            List<Integer> ports = BenchCluster.freePorts(2);
            String first = address(ANSWERS) + ":" + ports.getFirst();
            String second = address(ASKS) + ":" + ports.getLast();
            switch (kind) {
                case SOCKET, SOCKET_EACH -> {
                    answers = start(ANSWERS, address(ANSWERS));
                    asks = start(ASKS, answers.await("open", OPEN_MAX).text("at"));
                }
                case DIRECT -> {
                    answers = start(ANSWERS, first + "," + second);
                    answers.await("open", OPEN_MAX);
                    asks = start(ASKS, second + "," + first);
                }
                case MEDIATOR, POST -> {
                    String mediator = start(MEDIATES, address(MEDIATES) + ":" + ports.getFirst()).await("open", OPEN_MAX).text("at");
                    answers = start(ANSWERS, mediator);
                    answers.await("open", OPEN_MAX);
                    asks = start(ASKS, mediator);
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

    private String address(String role) {
        return spaces == null ? LOOPBACK : spaces.addresses().get(ROLES.indexOf(role));
    }

    private Child start(String role, String target) {
        List<String> prefix = new ArrayList<>();
        if (spaces != null) {
            prefix.addAll(List.of("ip", "netns", "exec", spaces.names().get(ROLES.indexOf(role))));
        }
        if (!layout.cores().isEmpty()) {
            prefix.addAll(List.of("taskset", "-c", Integer.toString(layout.cores().get(hosts.size() % layout.cores().size()))));
        }
        Host host = new Host(kind + " " + role, prefix, layout.options(), PathProcess.class.getName(),
                List.of(role, kind.name(), Integer.toString(sources), target), List.of(0));
        hosts.add(host);
        return host.children().getFirst();
    }

    /** Sends contents and waits for the answer to each. */
    Histogram ping(int size, Duration time) {
        answers.say(Line.of("begin").with("size", size).with("every", Arrived.ECHO)).await("begun", SLACK);
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
