package dev.tutti.bench.watch;

import dev.tutti.Node;
import dev.tutti.bench.BenchException;
import dev.tutti.blocks.inspection.Inspection;
import dev.tutti.console.Console;
import dev.tutti.metrics.FlightEvents;
import dev.tutti.metrics.HealthServer;
import dev.tutti.metrics.Jmx;
import dev.tutti.metrics.TuttiMetrics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;

/** The part of a {@link Watch} in a member's process: servers, and readers within. {@link Watchers} is the rest. */
public final class Watched implements AutoCloseable {

    /** Token that a page has to present to the console. */
    static final String TOKEN = "bench looks at the console";

    /** Shortest interval that a console accepts. */
    private static final Duration CONSOLE_INTERVAL_MIN = Duration.ofMillis(200);

    private final List<String> addresses = new ArrayList<>();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    /**
     * @param hasPages whether this member serves the console
     * @param interval between two readings
     */
    public Watched(Node node, Watch watch, boolean hasPages, Duration interval) {
        try {
            if (watch.hasMetrics()) {
                openMetrics(node, interval);
            }
            if (watch.hasConsole()) {
                openConsole(node, hasPages, interval);
            }
        } catch (IOException e) {
            close();
            throw new BenchException("member " + node.name() + " can't be watched: " + e.getMessage(), e);
        }
    }

    /** Returns the addresses for {@link Watchers}: pages to poll, and streams, which end in {@code stream}. */
    public List<String> addresses() {
        return addresses;
    }

    private void openMetrics(Node node, Duration interval) throws IOException {
        open.push(Jmx.register(node));
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        TuttiMetrics metrics = new TuttiMetrics(node);
        open.push(metrics);
        metrics.bindTo(registry);
        repeat(interval, () -> read(registry));
        open.push(FlightEvents.start(node));
        Recording recording = new Recording();
        open.push(recording);
        recording.enable("dev.tutti.Number").withPeriod(interval);
        recording.start();
        HealthServer server = HealthServer.start(node, 0);
        open.push(server);
        addresses.add("http://localhost:" + server.port() + "/metrics");
    }

    private static void read(SimpleMeterRegistry registry) {
        for (Meter meter : registry.getMeters()) {
            if (meter instanceof FunctionCounter counter) {
                counter.count();
            } else if (meter instanceof Gauge gauge) {
                gauge.value();
            }
        }
    }

    private void repeat(Duration interval, Runnable action) {
        CountDownLatch over = new CountDownLatch(1);
        Thread thread = Thread.ofPlatform().daemon().name("watching").start(() -> {
            try {
                while (!over.await(interval.toNanos(), TimeUnit.NANOSECONDS)) {
                    action.run();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        open.push(() -> {
            over.countDown();
            thread.join();
        });
    }

    private void openConsole(Node node, boolean hasPages, Duration interval) throws IOException {
        Inspection inspection = Inspection.open(node);
        open.push(inspection);
        if (hasPages) {
            Path token = Files.createTempFile("tutti-bench-", ".token");
            open.push(() -> Files.deleteIfExists(token));
            Files.writeString(token, TOKEN);
            Duration least = interval.compareTo(CONSOLE_INTERVAL_MIN) < 0 ? CONSOLE_INTERVAL_MIN : interval;
            Console console = Console.on(node)
                    .inspection(inspection)
                    .port(0)
                    .set("console.token-file", token.toString())
                    .set("console.interval", least.toMillis() + " ms")
                    .start();
            open.push(console);
            addresses.add(console.address() + "api/stream");
        }
    }

    @Override
    public void close() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                throw new BenchException("what watches can't be closed: " + e.getMessage(), e);
            }
        }
    }
}
