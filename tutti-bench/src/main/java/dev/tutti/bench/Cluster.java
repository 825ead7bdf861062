package dev.tutti.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Member processes of one system on this machine. */
final class Cluster implements AutoCloseable {

    private static final Duration START_MAX = Duration.ofSeconds(60);
    private static final Duration FORM_MAX = Duration.ofSeconds(120);
    private static final Duration COST_MAX = Duration.ofSeconds(10);
    private static final Duration RUN_EXTRA = Duration.ofSeconds(60);
    private static final long HEAD_START_NANOS = 50_000_000;

    /** Below the range from which Linux takes the ports of outgoing connections. */
    private static final int PORT_MIN = 20_000;

    private static final int PORT_MAX = 31_000;

    private final SystemKind kind;
    private final List<Child> children = new ArrayList<>();

    /**
     * A phase of a run.
     *
     * @param number greater than that of the phase before
     * @param senders how many members send; those of the lowest ranks
     * @param interval between two messages of a sender, which then carry their time; zero for as fast as possible
     * @param sample between two reports of what each member holds; zero for none
     */
    record Phase(int number, int senders, int bytes, Duration time, Duration interval, Duration sample) {}

    /**
     * What came of a phase.
     *
     * @param sent messages of all senders
     * @param own deliveries to the senders themselves
     * @param others deliveries to other members
     * @param nanos from the first sender's first message until the last member had all
     * @param packets that carried the messages; 0 if the system does not say
     * @param usage of all members together
     * @param faults what was lost, out of order or changed; empty if nothing was
     */
    record Outcome(long sent, long own, long others, long nanos, long packets, Usage usage, List<String> faults) {

        double messagesPerSecond() {
            return sent * 1e9 / nanos;
        }

        long deliveries() {
            return own + others;
        }
    }

    /** Starts the processes and waits until they can be told to join. */
    Cluster(SystemKind kind, int members, List<String> options) {
        this(kind, members, members, options);
    }

    /** Starts only the first {@code started} of the members. */
    Cluster(SystemKind kind, int members, int started, List<String> options) {
        this.kind = kind;
        String ports = freePorts(members).stream().map(String::valueOf).collect(Collectors.joining(","));
        try {
            for (int rank = 0; rank < started; rank++) {
                children.add(new Child(
                        kind + " m" + rank, options, List.of(kind.name(), Integer.toString(rank), ports)));
            }
            children.forEach(child -> child.await("ready", START_MAX));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Consecutive ports of the loopback address that nobody listens on now. */
    static List<Integer> freePorts(int count) {
        for (int attempt = 0; attempt < 100; attempt++) {
            int first = ThreadLocalRandom.current().nextInt(PORT_MIN, PORT_MAX - count);
            List<Integer> ports = IntStream.range(first, first + count).boxed().toList();
            if (ports.stream().allMatch(Cluster::isFree)) {
                return ports;
            }
        }
        throw new BenchException("no " + count + " free ports in a row between " + PORT_MIN + " and " + PORT_MAX);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    List<Child> children() {
        return children;
    }

    int size() {
        return children.size();
    }

    /** One joins after the other, and all are in one view at the end. */
    void form() {
        Line join = Line.of("join");
        if (kind.joinsTogether()) {
            children.forEach(child -> child.say(join));
            children.forEach(child -> child.await("joined", FORM_MAX));
        } else {
            List<Child> joining = kind.joinsBackwards() ? children.reversed() : children;
            joining.forEach(child -> child.say(join).await("joined", FORM_MAX));
        }
        awaitView(children, children.size(), FORM_MAX);
    }

    /** Waits until all of these have a view of so many members; returns when the last of them had it, by its own clock. */
    static long awaitView(List<Child> members, int size, Duration timeout) {
        long last = Long.MIN_VALUE;
        List<String> ids = new ArrayList<>();
        for (Child child : members) {
            Line view = child.await("view", line -> line.count("size") == size, timeout);
            last = Math.max(last, view.number("at"));
            ids.add(view.text("id"));
        }
        if (ids.stream().distinct().count() > 1) {
            throw new BenchException("different views of " + size + " members: " + ids);
        }
        return last;
    }

    /** Lets all members begin a phase at the same instant, and waits until all have everything. */
    Outcome run(Phase phase) {
        Line line = Line.of("run")
                .with("phase", phase.number())
                .with("senders", phase.senders())
                .with("size", phase.bytes())
                .with("time", phase.time().toNanos())
                .with("interval", phase.interval().toNanos())
                .with("sample", phase.sample().toNanos())
                .with("timeout", phase.time().plus(RUN_EXTRA).toNanos())
                .with("at", System.nanoTime() + HEAD_START_NANOS);
        children.forEach(child -> child.say(line));
        Duration timeout = phase.time().multipliedBy(2).plus(RUN_EXTRA).plus(RUN_EXTRA);
        long sent = 0;
        long own = 0;
        long others = 0;
        long began = Long.MAX_VALUE;
        long ended = Long.MIN_VALUE;
        List<String> faults = new ArrayList<>();
        for (int rank = 0; rank < children.size(); rank++) {
            Line ran = children.get(rank).await("ran", timeout);
            sent += ran.number("sent");
            own += ran.number("own");
            others += ran.number("others");
            began = Math.min(began, ran.number("began"));
            ended = Math.max(ended, ran.number("ended"));
            if (!ran.text("fault").isEmpty()) {
                faults.add("m" + rank + ": " + ran.text("fault").replace('_', ' '));
            }
        }
        if (sent * children.size() != own + others && faults.isEmpty()) {
            faults.add(sent + " messages to " + children.size() + " members make " + sent * children.size()
                    + " deliveries, not " + (own + others));
        }
        long packets = 0;
        Usage sum = new Usage(0, 0, 0, 0);
        children.forEach(child -> child.say(Line.of("cost")));
        for (Child child : children) {
            Line cost = child.await("cost", COST_MAX);
            packets += cost.number("packets");
            sum = new Usage(
                    sum.cpuNanos() + cost.number("cpu"),
                    sum.allocatedBytes() + cost.number("allocated"),
                    sum.jitMillis() + cost.number("jit"),
                    sum.gcMillis() + cost.number("gc"));
        }
        return new Outcome(sent, own, others, ended - began, packets, sum, faults);
    }

    /** Ends all processes. */
    @Override
    public void close() {
        children.forEach(Child::close);
    }
}
