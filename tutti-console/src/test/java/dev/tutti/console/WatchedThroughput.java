package dev.tutti.console;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.blocks.inspection.Inspection;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;

/**
 * What an open console costs: nodes of one process multicast 1 KiB messages to each other, by turns without a page and with
 * one that reads all it is told. By hand: docs/decisions/0204-what-the-console-costs.md.
 */
final class WatchedThroughput {

    private static final String TOKEN = "a token for measuring";

    private static final long WARM_NANOS = TimeUnit.SECONDS.toNanos(24);

    private WatchedThroughput() {}

    /** Arguments: nodes, rounds, seconds of a phase; and {@code idle} if nothing is to be sent. */
    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        long phaseNanos = TimeUnit.SECONDS.toNanos(Long.parseLong(arguments[2]));
        Path token = Files.writeString(Files.createTempFile("console", "token"), TOKEN);
        List<Node> nodes = new ArrayList<>();
        List<Group> groups = new ArrayList<>();
        List<Inspection> inspections = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            Node node = Node.tcp(0).name("n" + index).seeds(index == 0 ? "localhost:1" : nodes.getFirst().address()).start();
            nodes.add(node);
            inspections.add(Inspection.open(node));
            groups.add(node.group("load").onMessage(message -> {}).join());
        }
        while (groups.stream().anyMatch(group -> group.view().size() < count)) {
            LockSupport.parkNanos(10_000_000);
        }
        AtomicBoolean isOver = new AtomicBoolean();
        boolean isIdle = arguments.length > 3 && arguments[3].equals("idle");
        for (Group group : isIdle ? List.<Group>of() : groups) {
            Thread.ofPlatform().daemon().start(() -> send(group, isOver));
        }
        try (Console console = Console.on(nodes.getFirst())
                        .inspection(inspections.getFirst())
                        .port(0)
                        .set("console.token-file", token.toString())
                        .start();
                HttpClient client = HttpClient.newHttpClient()) {
            try (Console warm = Console.on(nodes.getFirst())
                    .inspection(inspections.getFirst())
                    .port(0)
                    .set("console.token-file", token.toString())
                    .set("console.interval", "200 ms")
                    .start()) {
                // What runs once a second takes minutes until it is compiled.
                watched(warm, client, nodes, WARM_NANOS);
            }
            Load[] alone = new Load[rounds];
            Load[] watched = new Load[rounds];
            for (int round = 0; round < rounds; round++) {
                // Each comes first in half of the rounds.
                if (round % 2 == 0) {
                    alone[round] = load(nodes, phaseNanos);
                    watched[round] = watched(console, client, nodes, phaseNanos);
                } else {
                    watched[round] = watched(console, client, nodes, phaseNanos);
                    alone[round] = load(nodes, phaseNanos);
                }
                System.out.println("closed " + alone[round] + ", open " + watched[round]);
            }
            isOver.set(true);
            System.out.printf(
                    Locale.ROOT, "medians: rate %+.1f %%, CPU per delivery %+.1f %%; %s%n",
                    100 * (median(watched, Load::perSecond) / median(alone, Load::perSecond) - 1),
                    100 * (median(watched, Load::cpuNanos) / median(alone, Load::cpuNanos) - 1), console.status());
        }
        System.exit(0);
    }

    private static void send(Group group, AtomicBoolean isOver) {
        byte[] message = new byte[1_024];
        while (!isOver.get()) {
            group.send(message);
        }
    }

    private static Load watched(Console console, HttpClient client, List<Node> nodes, long nanos) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(console.address() + "api/stream"))
                .header("Authorization", "Bearer " + TOKEN)
                .build();
        InputStream page = client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body();
        Thread reader = Thread.ofPlatform().start(() -> read(page));
        Load load = load(nodes, nanos);
        page.close();
        reader.join();
        return load;
    }

    private static void read(InputStream page) {
        byte[] bytes = new byte[64 * 1024];
        try {
            while (page.read(bytes) >= 0) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            // It was closed: the phase is over.
            return;
        }
    }

    private static Load load(List<Node> nodes, long nanos) {
        long before = delivered(nodes);
        long start = System.nanoTime();
        long cpuBefore = cpuNanos();
        while (System.nanoTime() - start < nanos) {
            LockSupport.parkNanos(nanos - (System.nanoTime() - start));
        }
        long cpu = cpuNanos() - cpuBefore;
        long count = delivered(nodes) - before;
        long elapsed = System.nanoTime() - start;
        return new Load(count * 1e9 / elapsed, (double) cpu / Math.max(1, count), cpu * 1e3 / elapsed);
    }

    private static long delivered(List<Node> nodes) {
        long sum = 0;
        for (Node node : nodes) {
            sum += node.inspection().groups().stream()
                    .filter(group -> group.name().equals("load"))
                    .mapToLong(group -> group.part("delivery").value("messages"))
                    .sum();
        }
        return sum;
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
     * @param perSecond deliveries at all nodes
     * @param cpuNanos of the process, for each delivery
     * @param cpuMillis of the process, for each second
     */
    private record Load(double perSecond, double cpuNanos, double cpuMillis) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%,.0f/s at %.0f ns, CPU %.1f ms a second", perSecond, cpuNanos, cpuMillis);
        }
    }
}
