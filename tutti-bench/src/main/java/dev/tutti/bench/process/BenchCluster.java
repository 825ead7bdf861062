package dev.tutti.bench.process;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.systems.SystemKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Members of one system on this machine, in processes of their own or in one. */
public final class BenchCluster implements AutoCloseable {

    private static final Duration START_MAX = Duration.ofSeconds(60);
    private static final Duration FORM_MAX = Duration.ofSeconds(120);
    private static final Duration COST_MAX = Duration.ofSeconds(10);
    private static final Duration RUN_EXTRA = Duration.ofSeconds(60);
    private static final long HEAD_START_NANOS = 50_000_000;

    /** Below the range from which Linux takes the ports of outgoing connections. */
    private static final int PORT_MIN = 20_000;

    private static final int PORT_MAX = 31_000;

    private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(1);

    private final SystemKind kind;
    private final List<Host> hosts = new ArrayList<>();
    private final List<Child> children = new ArrayList<>();
    private List<Integer> ports = List.of();

    /**
     * Placement of members in processes.
     *
     * @param options of each process's JVM
     * @param isOneProcess all in one, or each in its own
     * @param cores that processes are bound to, by turns; empty for any
     * @param spaces network namespaces of the processes, whose addresses the options have; empty for none
     * @param machines of the processes, whose addresses the options have; null for this one
     */
    public record Layout(
            List<String> options, boolean isOneProcess, List<Integer> cores, List<String> spaces, @Nullable Machines machines) {

        public Layout {
            if (isOneProcess && machines != null) {
                throw new BenchException("all members in one process are on one machine, without --hosts");
            }
        }

        public Layout(List<String> options, boolean isOneProcess, List<Integer> cores) {
            this(options, isOneProcess, cores, List.of(), null);
        }

        static Layout of(List<String> options) {
            return new Layout(options, false, List.of());
        }

        /** Returns the same placement with other options of JVMs. */
        public Layout with(List<String> otherOptions) {
            return new Layout(otherOptions, isOneProcess, cores, spaces, machines);
        }

        /** Returns the same options with another placement on the same machines. */
        public Layout with(boolean isInOneProcess, List<Integer> otherCores) {
            return new Layout(options, isInOneProcess, otherCores, spaces, machines);
        }

        private List<String> prefix(int process) {
            if (!spaces.isEmpty()) {
                return List.of("ip", "netns", "exec", spaces.get(process));
            }
            return cores.isEmpty()
                    ? List.of()
                    : List.of("taskset", "-c", Integer.toString(cores.get(process % cores.size())));
        }

        /** Starts a process of members. */
        private Host start(String name, int process, List<String> arguments, List<Integer> ranks) {
            return machines == null
                    ? new Host(name, prefix(process), options, arguments, ranks)
                    : new Host(name, machines, process, prefix(process), options, arguments, ranks);
        }
    }

    /**
     * A phase of a run.
     *
     * @param number greater than that of the phase before
     * @param senders number of members that send; those of the lowest ranks
     * @param threads of each of them
     * @param count messages of each thread, at most
     * @param interval between two messages of a thread, which then carry their time; zero for as fast as possible
     * @param sample between two reports of what each member holds; zero for none
     */
    public record Phase(
            int number, int senders, int threads, int bytes, Duration time, long count, Duration interval, Duration sample) {

        /** Creates a phase of one thread per sender, which sends as many messages as there is time for. */
        public Phase(int number, int senders, int bytes, Duration time, Duration interval, Duration sample) {
            this(number, senders, 1, bytes, time, Long.MAX_VALUE, interval, sample);
        }
    }

    /**
     * Outcome of a phase.
     *
     * @param sent messages of all senders
     * @param own deliveries to the senders themselves
     * @param others deliveries to other members
     * @param nanos from the first sender's first message until the last member had all
     * @param packets that carried the messages; 0 if the system does not say
     * @param usage of all members together
     * @param faults messages that were lost, out of order or changed; empty if there were none
     */
    public record Outcome(long sent, long own, long others, long nanos, long packets, Usage usage, List<String> faults) {

        public double messagesPerSecond() {
            return sent * 1e9 / nanos;
        }

        public long deliveries() {
            return own + others;
        }
    }

    /** Starts the processes and waits until they can be told to join. */
    public BenchCluster(SystemKind kind, int members, Layout layout) {
        this(kind, members, members, layout);
    }

    /** Starts only the first {@code started} of the members. */
    public BenchCluster(SystemKind kind, int members, int started, Layout layout) {
        this(kind, freePorts(members), started, layout);
    }

    /** Starts a process for each of these ports. */
    public BenchCluster(SystemKind kind, List<Integer> ports, Layout layout) {
        this(kind, ports, ports.size(), layout);
    }

    private BenchCluster(SystemKind kind, List<Integer> all, int started, Layout layout) {
        this(kind);
        String ports = all.stream().map(String::valueOf).collect(Collectors.joining(","));
        try {
            for (List<Integer> ranks : ranks(started, layout.isOneProcess())) {
                String held = ranks.stream().map(String::valueOf).collect(Collectors.joining(","));
                Host host = layout.start(
                        kind + (layout.isOneProcess() ? "" : " m" + held), hosts.size(), List.of(kind.name(), held, ports), ranks);
                hosts.add(host);
                children.addAll(host.children());
            }
            children.forEach(child -> child.await("ready", START_MAX));
            hosts.forEach(Host::synchronize);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private BenchCluster(SystemKind kind) {
        this.kind = kind;
    }

    /**
     * Starts members in a process each, and further ones that share a process: many processes that start at once would
     * measure how the machine starts processes. The latter are the last of {@link #children}.
     */
    public static BenchCluster withSharers(SystemKind kind, int members, int sharers, Layout layout) {
        BenchCluster cluster = new BenchCluster(kind);
        List<Integer> ports = freePorts(members + sharers);
        cluster.ports = ports;
        List<List<Integer>> processes = new ArrayList<>(ranks(members, false));
        if (sharers > 0) {
            processes.add(IntStream.range(members, members + sharers).boxed().toList());
        }
        try {
            processes.forEach(ranks -> cluster.startHost(ranks, ports, layout));
            cluster.children.forEach(child -> child.await("ready", START_MAX));
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Starts further members in one process, with the present ones as seeds, which in turn do not know them. */
    public List<Child> visit(int visitors, Layout layout) {
        List<Integer> all = new ArrayList<>(ports);
        all.addAll(freePorts(visitors));
        int first = ports.size();
        List<Child> started = startHost(IntStream.range(first, first + visitors).boxed().toList(), all, layout);
        started.forEach(child -> child.await("ready", START_MAX));
        return started;
    }

    private List<Child> startHost(List<Integer> ranks, List<Integer> ports, Layout layout) {
        String held = ranks.stream().map(String::valueOf).collect(Collectors.joining(","));
        String all = ports.stream().map(String::valueOf).collect(Collectors.joining(","));
        List<String> arguments = List.of(kind.name(), held, all);
        Host host = layout.start(kind + " m" + held, hosts.size(), arguments, ranks);
        hosts.add(host);
        children.addAll(host.children());
        return host.children();
    }

    /**
     * Starts processes whose members join at once by themselves, as those of an application do, and waits for a view of all.
     *
     * @param isOneByOne whether each is started when the one before has joined; else all start at the same time
     */
    public static BenchCluster start(SystemKind kind, int members, Layout layout, boolean isOneByOne) {
        BenchCluster cluster = new BenchCluster(kind);
        String ports = freePorts(members).stream().map(String::valueOf).collect(Collectors.joining(","));
        try {
            for (int rank = 0; rank < members; rank++) {
                List<String> arguments = List.of(kind.name(), Integer.toString(rank), ports, Member.JOIN);
                Host host = layout.start(kind + " m" + rank, rank, arguments, List.of(rank));
                cluster.hosts.add(host);
                cluster.children.addAll(host.children());
                if (isOneByOne) {
                    host.children().getFirst().await("joined", FORM_MAX);
                }
            }
            cluster.hosts.forEach(Host::synchronize);
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Returns the ranks of the members of each process. */
    private static List<List<Integer>> ranks(int members, boolean isOneProcess) {
        List<Integer> all = IntStream.range(0, members).boxed().toList();
        return isOneProcess ? List.of(all) : all.stream().map(List::of).toList();
    }

    /** Returns consecutive ports of the loopback address that nobody listens on now. */
    public static List<Integer> freePorts(int count) {
        for (int attempt = 0; attempt < 100; attempt++) {
            int first = ThreadLocalRandom.current().nextInt(PORT_MIN, PORT_MAX - count);
            List<Integer> ports = IntStream.range(first, first + count).boxed().toList();
            if (ports.stream().allMatch(BenchCluster::isFree)) {
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

    public List<Child> children() {
        return children;
    }

    /** Returns the time at which the first process was started. */
    public long startedAtNanos() {
        return hosts.getFirst().startedAtNanos();
    }

    public int size() {
        return children.size();
    }

    /** Lets one member join after the other, until all are in one view. */
    public void form() {
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

    /** Waits until these members have a view of this size; returns when the last of them had it, by its own clock. */
    public static long awaitView(List<Child> members, int size, Duration timeout) {
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

    public Outcome run(Phase phase) {
        return run(phase, received -> {});
    }

    /**
     * Lets all members begin a phase at the same instant, and waits until all have every message.
     *
     * @param progress called now and then with the number of messages that all members together have received
     */
    public Outcome run(Phase phase, LongConsumer progress) {
        Line line = Line.of("run")
                .with("phase", phase.number())
                .with("senders", phase.senders())
                .with("threads", phase.threads())
                .with("size", phase.bytes())
                .with("time", phase.time().toNanos())
                .with("count", phase.count())
                .with("interval", phase.interval().toNanos())
                .with("sample", phase.sample().toNanos())
                .with("progress", PROGRESS_INTERVAL.toNanos())
                .with("timeout", phase.time().plus(RUN_EXTRA).toNanos())
                .with("at", System.nanoTime() + HEAD_START_NANOS);
        children.forEach(child -> child.takeAll("view"));
        children.forEach(child -> child.say(line));
        CountDownLatch over = new CountDownLatch(1);
        Thread.ofVirtual().name("progress").start(() -> follow(progress, over));
        try {
            return await(phase);
        } finally {
            over.countDown();
        }
    }

    private void follow(LongConsumer progress, CountDownLatch over) {
        try {
            while (!over.await(PROGRESS_INTERVAL.toNanos(), TimeUnit.NANOSECONDS)) {
                progress.accept(children.stream().mapToLong(Child::received).sum());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Outcome await(Phase phase) {
        Duration timeout = phase.time().multipliedBy(2).plus(RUN_EXTRA).plus(RUN_EXTRA);
        long sent = 0;
        long own = 0;
        long others = 0;
        long began = Long.MAX_VALUE;
        long ended = Long.MIN_VALUE;
        List<String> faults = new ArrayList<>();
        for (Child child : children) {
            Line ran = child.await("ran", timeout);
            sent += ran.number("sent");
            own += ran.number("own");
            others += ran.number("others");
            began = Math.min(began, ran.number("began"));
            ended = Math.max(ended, ran.number("ended"));
            if (!ran.text("fault").isEmpty()) {
                faults.add("m" + child.rank() + ": " + ran.text("fault").replace('_', ' '));
            }
        }
        int receivers = kind.deliversToSender() ? children.size() : children.size() - 1;
        if (sent * receivers != own + others && faults.isEmpty()) {
            faults.add(sent + " messages to " + receivers + " members make " + sent * receivers + " deliveries, not "
                    + (own + others));
        }
        if (!faults.isEmpty()) {
            children.forEach(child -> addViews(child, faults));
        }
        long packets = 0;
        Usage sum = Usage.NONE;
        children.forEach(child -> child.say(Line.of("cost")));
        for (Child child : children) {
            Line cost = child.await("cost", COST_MAX);
            packets += cost.number("packets");
            sum = sum.plus(Usage.of(cost));
        }
        return new Outcome(sent, own, others, ended - began, packets, sum, faults);
    }

    /** A member that others have suspected meanwhile lacks the messages that they sent without it. */
    private static void addViews(Child child, List<String> faults) {
        for (Line view : child.takeAll("view")) {
            faults.add("m" + child.rank() + ": meanwhile a view of " + view.count("size") + ", "
                    + view.text("id").replace('_', ' '));
        }
    }

    /** Ends all processes. */
    @Override
    public void close() {
        hosts.forEach(Host::close);
    }
}
