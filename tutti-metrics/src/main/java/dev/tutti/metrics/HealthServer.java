package dev.tutti.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tutti.Health;
import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.internal.Json;
import dev.tutti.internal.Logs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import org.slf4j.Logger;

/**
 * Says over HTTP how a node is, for orchestrators and Prometheus. Read-only, four pages:
 *
 * <ul>
 *   <li>{@code /health/live}: 200 if the loop answers, else 503: a restart helps
 *   <li>{@code /health/ready}: 200 if all groups are joined, with their state, else 503: work should go elsewhere
 *   <li>{@code /health}: both, with reasons, as JSON; 200 if it is ready
 *   <li>{@code /metrics}: all numbers, in the text format of Prometheus
 * </ul>
 *
 * <p>There is no encryption and no login: it listens on this machine alone unless an address is given, and then everybody
 * who reaches the port may read.
 */
public final class HealthServer implements AutoCloseable {

    /** Requests that are answered at a time; further ones get 503. */
    static final int REQUESTS_MAX = 16;

    private static final Logger LOG = Logs.of(HealthServer.class);
    private static final int BACKLOG = 64;

    private final Readings readings;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Semaphore requests = new Semaphore(REQUESTS_MAX);

    private record Page(int status, String type, String text) {}

    private HealthServer(Node node, InetSocketAddress address) throws IOException {
        this.readings = new Readings(node);
        this.server = HttpServer.create(address, BACKLOG);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
        LOG.info("health of node {} at http://{}:{}/health", node.name(), server.getAddress().getHostString(), port());
    }

    /**
     * Serves on loopback.
     *
     * @param port 0 takes any free one
     * @throws IOException if it can't be bound
     */
    public static HealthServer start(Node node, int port) throws IOException {
        return start(node, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /**
     * Serves at an address, in the clear.
     *
     * @throws IOException if it can't be bound
     */
    public static HealthServer start(Node node, InetSocketAddress address) throws IOException {
        return new HealthServer(node, address);
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!requests.tryAcquire()) {
                send(exchange, new Page(503, "text/plain", "too many requests at a time\n"));
                return;
            }
            try {
                String method = exchange.getRequestMethod();
                if (method.equals("GET") || method.equals("HEAD")) {
                    send(exchange, page(exchange.getRequestURI().getPath()));
                } else {
                    exchange.getResponseHeaders().add("Allow", "GET, HEAD");
                    send(exchange, new Page(405, "text/plain", "only GET and HEAD\n"));
                }
            } finally {
                requests.release();
            }
        }
    }

    private Page page(String path) {
        return switch (path) {
            case "/health/live" -> health(health(), health -> health.isAlive());
            case "/health/ready", "/health" -> health(health(), health -> health.isReady());
            case "/metrics" -> {
                NodeInspection inspection = readings.inspection();
                yield inspection == null
                        ? new Page(503, "text/plain", readings.node() + " does not answer\n")
                        : new Page(200, PrometheusText.CONTENT_TYPE, PrometheusText.write(inspection));
            }
            default -> new Page(404, "text/plain", "there are /health, /health/live, /health/ready and /metrics\n");
        };
    }

    /** Of an inspection that is not older than a second, however often it is asked for. */
    private Health health() {
        NodeInspection inspection = readings.inspection();
        return inspection == null ? readings.node().health() : inspection.health();
    }

    private static Page health(Health health, Predicate<Health> isGood) {
        Map<String, Object> document = health.document();
        return new Page(isGood.test(health) ? 200 : 503, "application/json", Json.write(document) + "\n");
    }

    private static void send(HttpExchange exchange, Page page) throws IOException {
        byte[] bytes = page.text().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", page.type());
        exchange.getResponseHeaders().add("Cache-Control", "no-store");
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(page.status(), isHead ? -1 : bytes.length);
        if (!isHead) {
            exchange.getResponseBody().write(bytes);
        }
    }

    /** Stops serving; the node goes on. Idempotent. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
