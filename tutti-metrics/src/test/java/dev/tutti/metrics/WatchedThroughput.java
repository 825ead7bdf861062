package dev.tutti.metrics;

import dev.tutti.Group;
import dev.tutti.Node;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;
import jdk.jfr.Recording;

/**
 * What being watched costs: two nodes of one process multicast 1 KiB messages to each other, by turns alone and with all that
 * watches: JMX, Micrometer and Prometheus read once a second, the flight recorder writes every number once a second. By hand:
 * docs/decisions/0189-what-being-watched-costs.md.
 */
final class WatchedThroughput {

    private static final int ROUNDS = Integer.getInteger("rounds", 9);
    private static final long PHASE_NANOS = 3_000_000_000L;

    private static final long SETTLE_NANOS = 1_500_000_000L;

    private WatchedThroughput() {}

    public static void main(String[] arguments) throws Exception {
        try (Node a = Node.tcp(0).name("a").start();
                Node b = Node.tcp(0).name("b").seeds(a.address()).start();
                Group first = a.group("load").onMessage(message -> {}).join();
                Group second = b.group("load").onMessage(message -> {}).join()) {
            while (first.view().size() < 2 || second.view().size() < 2) {
                Thread.onSpinWait();
            }
            AtomicBoolean isOver = new AtomicBoolean();
            Thread[] senders = {
                Thread.ofPlatform().start(() -> send(first, isOver)), Thread.ofPlatform().start(() -> send(second, isOver))
            };
            rate(a, b, 2 * PHASE_NANOS);
            watched(a, b);
            watched(a, b);
            Load[] alone = new Load[ROUNDS];
            Load[] watched = new Load[ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                // Each comes first in half of the rounds.
                if (round % 2 == 0) {
                    alone[round] = rate(a, b, PHASE_NANOS);
                    watched[round] = watched(a, b);
                } else {
                    watched[round] = watched(a, b);
                    alone[round] = rate(a, b, PHASE_NANOS);
                }
                System.out.println("alone " + alone[round] + ", watched " + watched[round]);
            }
            isOver.set(true);
            for (Thread sender : senders) {
                sender.join();
            }
            // Whatever else the machine does: the CPU that watching itself takes, of nodes that do nothing.
            Load idle = rate(a, b, 4 * PHASE_NANOS);
            Load idleWatched = watched(a, b);
            System.out.printf(Locale.ROOT, "CPU of idle nodes: alone %.1f ms/s, watched %.1f ms/s%n",
                    idle.cpuPerSecond() / 1e6, idleWatched.cpuPerSecond() / 1e6);
            long before = System.nanoTime();
            for (int count = 0; count < 1_000; count++) {
                a.inspection();
            }
            double micros = (System.nanoTime() - before) / 1e6;
            double rate = median(watched, Load::perSecond) / median(alone, Load::perSecond) - 1;
            double cpu = median(watched, Load::cpuNanos) / median(alone, Load::cpuNanos) - 1;
            System.out.printf(Locale.ROOT, "medians: rate %+.1f %%, CPU per delivery %+.1f %%; an inspection takes %.0f us%n",
                    100 * rate, 100 * cpu, micros);
        }
    }

    private static void send(Group group, AtomicBoolean isOver) {
        byte[] message = new byte[1_024];
        while (!isOver.get()) {
            group.send(message);
        }
    }

    private static Load watched(Node a, Node b) throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (Jmx _ = Jmx.register(a);
                Jmx _ = Jmx.register(b);
                TuttiMetrics metrics = new TuttiMetrics(a);
                FlightEvents _ = FlightEvents.start(a);
                HealthServer server = HealthServer.start(b, 0);
                Recording recording = new Recording();
                HttpClient client = HttpClient.newHttpClient()) {
            metrics.bindTo(registry);
            recording.enable("dev.tutti.Number").withPeriod(java.time.Duration.ofSeconds(1));
            recording.start();
            CountDownLatch over = new CountDownLatch(1);
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create("http://localhost:" + server.port() + "/metrics")).build();
            Thread reader = Thread.ofPlatform().start(() -> {
                try {
                    do {
                        client.send(request, HttpResponse.BodyHandlers.ofString());
                        for (Meter meter : registry.getMeters()) {
                            if (meter instanceof FunctionCounter counter) {
                                counter.count();
                            }
                        }
                    } while (!over.await(1, TimeUnit.SECONDS));
                } catch (java.io.IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            // To be watched is one thing, to begin to be watched another: recordings and beans are there before it counts.
            rate(a, b, SETTLE_NANOS);
            Load load = rate(a, b, PHASE_NANOS);
            over.countDown();
            reader.join();
            return load;
        }
    }

    /** Deliveries at both nodes per second. */
    private static Load rate(Node a, Node b, long nanos) {
        long before = delivered(a) + delivered(b);
        long start = System.nanoTime();
        long cpuBefore = cpuNanos();
        while (System.nanoTime() - start < nanos) {
            LockSupport.parkNanos(nanos - (System.nanoTime() - start));
        }
        long cpu = cpuNanos() - cpuBefore;
        long count = delivered(a) + delivered(b) - before;
        long passed = System.nanoTime() - start;
        return new Load(count * 1e9 / passed, (double) cpu / Math.max(1, count), cpu * 1e9 / passed);
    }

    private static long delivered(Node node) {
        return node.inspection().groups().getFirst().part("delivery").value("messages");
    }

    private static long cpuNanos() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
    }

    private static double median(Load[] loads, ToDoubleFunction<Load> figure) {
        double[] sorted = Arrays.stream(loads).mapToDouble(figure).sorted().toArray();
        return (sorted[sorted.length / 2] + sorted[(sorted.length - 1) / 2]) / 2;
    }

    /**
     * What was done in a phase.
     *
     * @param perSecond deliveries
     * @param cpuNanos of the process, for each delivery
     * @param cpuPerSecond of the process, in nanoseconds
     */
    private record Load(double perSecond, double cpuNanos, double cpuPerSecond) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%,.0f/s at %.0f ns", perSecond, cpuNanos);
        }
    }
}
