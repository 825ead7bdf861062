package dev.tutti.bench.paths;

import com.sun.management.OperatingSystemMXBean;
import dev.tutti.Node;
import dev.tutti.bench.BenchException;
import dev.tutti.bench.process.Line;
import dev.tutti.bench.report.Latencies;
import dev.tutti.grid.Grid;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.mediator.Mediator;
import dev.tutti.grid.member.GridMember;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Main class of a process at one end of a path, or of a mediator between them. It executes lines of its standard input. */
final class PathProcess {

    private static final long QUIET_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

    /** Bytes of all sources that are under way at most, where the path itself does not hold sources back. */
    private static final int WINDOW_BYTES = 4 << 20;

    /** Memory that a measurement takes in queues besides its body, roughly. */
    private static final int MEASUREMENT_BYTES = 400;

    private static final int WINDOW_MIN = 4;
    private static final int WINDOW_MAX = 4_096;

    private static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final PathKind kind;
    private final int sources;
    private final Arrived arrived = new Arrived();
    private final List<End> ends = new ArrayList<>();
    private final List<Semaphore> permits = new ArrayList<>();
    private final List<Grid> grids = new ArrayList<>();
    private final AtomicReference<@Nullable Contents> answers = new AtomicReference<>();
    private @Nullable GridAnswers answering;
    private volatile int permitsEach;

    private PathProcess(PathKind kind, int sources) {
        this.kind = kind;
        this.sources = sources;
    }

    /** Arguments: the role (asks, answers, mediates), the kind of path, the number of sources, and addresses or the mediator. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        PathProcess process = new PathProcess(PathKind.valueOf(arguments[1]), Integer.parseInt(arguments[2]));
        try {
            process.open(arguments[0], arguments[3]);
            process.run();
        } catch (RuntimeException e) {
            e.printStackTrace();
            say(Line.of("failed").with("why", e.toString()));
        }
        System.exit(0);
    }

    private static void say(Line line) {
        synchronized (System.out) {
            System.out.println(line.to(0));
            System.out.flush();
        }
    }

    // ------------------------------------------------------------------ ends

    private void open(String role, String target) {
        switch (role) {
            case "mediates" -> {
                InetAddress own = address(target).getAddress();
                Mediator mediator = Mediator.on(member(target)).bind(own).insecure().port(0).open();
                say(Line.of("open").with("at", mediator.url()));
            }
            case "answers" -> openAnswering(target);
            default -> {
                for (int source = 0; source < sources; source++) {
                    Semaphore arrivals = new Semaphore(0);
                    permits.add(arrivals);
                    ends.add(end(source, target, (_, content, _) -> onAnswer(arrivals, content)));
                }
                say(Line.of("open"));
            }
        }
    }

    private void onAnswer(Semaphore arrivals, byte[] content) {
        Contents expected = answers.get();
        boolean isSign = content.length == 0;
        if (expected != null && !isSign) {
            expected.onArrived(content);
            arrivals.release();
        } else if (expected == null && isSign) {
            arrivals.release(permitsEach);
        }
    }

    private void openAnswering(String target) {
        if (kind.isSocket()) {
            say(Line.of("open").with("at", new SocketAnswers(target, kind == PathKind.SOCKET, arrived).at()));
        } else {
            answering = new GridAnswers(grid(target), posts(target), arrived);
            say(Line.of("open"));
        }
    }

    private End end(int source, String target, End.Arrivals arrivals) {
        return switch (kind) {
            case SOCKET -> new SocketEnd(address(target), source, arrivals);
            case SOCKET_EACH -> SocketEnd.forEach(address(target), source, arrivals);
            case DIRECT, MEDIATOR, POST -> new GridEnd(grid(target), source, posts(target), arrivals);
        };
    }

    /** Returns the member of this process, or a further client. */
    private Grid grid(String target) {
        if (grids.isEmpty() || kind.hasMediator()) {
            grids.add(kind.hasMediator() ? GridClient.of(URI.create(target)).open() : member(target));
        }
        return grids.getLast();
    }

    private @Nullable Posts posts(String target) {
        return kind == PathKind.POST ? new Posts(URI.create(target)) : null;
    }

    private static InetSocketAddress address(String target) {
        int colon = target.indexOf(':');
        return new InetSocketAddress(target.substring(0, colon), Integer.parseInt(target, colon + 1, target.length(), 10));
    }

    /** @param addresses its own, and that of the other member, if there is one */
    private static GridMember member(String addresses) {
        String[] all = addresses.split(",");
        InetSocketAddress own = address(all[0]);
        return GridMember.on(Node.tcp(own.getPort()).bind(own.getHostString()).insecure().name("m" + own.getPort()).seeds(all).start()).join();
    }

    // ------------------------------------------------------------------ commands

    private void run() throws IOException, InterruptedException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String text = in.readLine(); text != null; text = in.readLine()) {
            Line command = Line.parse(text);
            switch (command.verb()) {
                case "connect" -> connect();
                case "begin" -> {
                    arrived.begin(command.count("size"), command.count("every"));
                    say(Line.of("begun"));
                }
                case "ping" -> ping(command.count("size"), command.number("nanos"));
                case "stream" -> stream(command.count("size"), command.number("nanos"));
                case "processor" -> say(Line.of("processor").with("nanos", SYSTEM.getProcessCpuTime()));
                case "await" -> say(arrived.awaitAll(command.number("count"), QUIET_NANOS_MAX));
                case "exit" -> {
                    return;
                }
                default -> throw new BenchException("unknown command: " + command);
            }
        }
    }

    private void connect() {
        GridAnswers answering = this.answering;
        if (answering != null) {
            answering.awaitConnected(sources);
        }
        for (int source = 0; source < ends.size(); source++) {
            if (ends.get(source) instanceof GridEnd end) {
                end.awaitConnected(grids.get(Math.min(source, grids.size() - 1)));
            }
        }
        say(Line.of("connected"));
    }

    private void ping(int size, long nanos) {
        Contents expected = new Contents(size);
        answers.set(expected);
        Semaphore arrivals = permits.getFirst();
        arrivals.drainPermits();
        End end = ends.getFirst();
        byte[] content = expected.content();
        Histogram histogram = Latencies.histogram();
        long begun = System.nanoTime();
        long now = begun;
        long number = 0;
        for (; now - begun < nanos; number++) {
            Contents.number(content, number);
            end.send(content);
            end.flush();
            if (!end.await(arrivals, 1)) {
                throw new BenchException("content " + number + " was not answered");
            }
            long then = System.nanoTime();
            histogram.recordValue(then - now);
            now = then;
        }
        answers.set(null);
        String fault = expected.fault();
        say(Line.of("pinged").with("count", number).with("nanos", Latencies.print(histogram)).with("fault", fault == null ? "" : fault));
    }

    /** Returns the number of contents of a source that are under way at most; 0 where the path itself holds the source back. */
    static int window(PathKind kind, int size, int sources) {
        return kind.isSocket() ? 0 : Math.clamp(WINDOW_BYTES / (size + MEASUREMENT_BYTES) / sources, WINDOW_MIN, WINDOW_MAX);
    }

    /** Returns the number of contents of a source after which one is answered. */
    static int answerEvery(PathKind kind, int size, int sources) {
        return window(kind, size, sources) / 4;
    }

    private void stream(int size, long nanos) throws InterruptedException {
        permitsEach = answerEvery(kind, size, sources);
        int window = window(kind, size, sources);
        AtomicLong sent = new AtomicLong();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        long end = System.nanoTime() + nanos;
        for (int source = 0; source < sources; source++) {
            Semaphore arrivals = permits.get(source);
            arrivals.drainPermits();
            arrivals.release(window);
            End to = ends.get(source);
            threads.add(Thread.ofPlatform()
                    .name("source " + source)
                    .uncaughtExceptionHandler((_, e) -> failure.set(e))
                    .start(() -> sent.addAndGet(stream(to, size, end, window > 0 ? arrivals : null))));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new BenchException("a source has failed: " + failure.get(), failure.get());
        }
        say(Line.of("streamed").with("count", sent));
    }

    private static long stream(End end, int size, long endNanos, @Nullable Semaphore window) {
        byte[] content = new Contents(size).content();
        long number = 0;
        for (; System.nanoTime() - endNanos < 0; number++) {
            if (window != null && !end.await(window, 1)) {
                throw new BenchException("content " + number + " finds that nothing arrives");
            }
            Contents.number(content, number);
            end.send(content);
        }
        end.flush();
        return number;
    }
}
