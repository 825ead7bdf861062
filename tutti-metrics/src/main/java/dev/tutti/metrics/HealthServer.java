package dev.tutti.metrics;

import dev.tutti.Health;
import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.address.AddressChoice;
import dev.tutti.address.HostPort;
import dev.tutti.internal.Json;
import dev.tutti.internal.Logs;
import dev.tutti.internal.door.Hosts;
import dev.tutti.internal.door.Places.Place;
import dev.tutti.internal.door.Places;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Serves a node's health over HTTP, for orchestrators and Prometheus. Read-only, four pages:
 *
 * <ul>
 *   <li>{@code /health/live}: 200 if the loop answers, else 503: a restart helps
 *   <li>{@code /health/ready}: 200 if all groups are joined, with their state, else 503: work should go elsewhere
 *   <li>{@code /health}: both, with reasons, as JSON; 200 if it is ready
 *   <li>{@code /metrics}: all numbers, in the text format of Prometheus
 * </ul>
 *
 * <p>There is no encryption and no login: it listens on this machine alone unless an address is given, and then
 * everybody who reaches the port may read. A request under an unknown host name gets the state without reasons, and no
 * numbers: it may come from a foreign page whose name points here. A connection is for one request and ends within five
 * seconds; when all are in use, the one that has been idle for longest makes room.
 */
public final class HealthServer implements AutoCloseable {

    /** Most connections at a time; half of them from one address. */
    static final int CONNECTIONS_MAX = 64;

    /** Time for a connection from its beginning to its end, whatever its state. */
    static final Duration CONNECTION_TIME_MAX = Duration.ofSeconds(5);

    /** Pause between two checks for connections whose time is over. */
    private static final int SWEEP_MILLIS = 250;

    private static final int BACKLOG = 64;
    private static final int DRAINED_BYTES_MAX = 64 * 1024;

    private static final Logger LOG = Logs.of(HealthServer.class);

    private record Page(int status, String type, String text) {}

    private record Connection(Socket socket, long endNanos) {}

    private final Readings readings;
    private final ServerSocket server;
    private final Hosts hosts;
    private final Duration timeMax;
    private final Places places = new Places(CONNECTIONS_MAX, CONNECTIONS_MAX / 2);
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final LongAdder requests = new LongAdder();
    private final LongAdder malformed = new LongAdder();
    private final LongAdder foreignHosts = new LongAdder();
    private final LongAdder tooSlow = new LongAdder();

    HealthServer(Node node, InetSocketAddress address, Collection<String> names, Duration timeMax) throws IOException {
        this.readings = new Readings(node);
        this.timeMax = timeMax;
        List<String> known = new ArrayList<>(names);
        known.add(address.getHostString());
        this.hosts = new Hosts(known);
        this.server = new ServerSocket();
        try {
            server.setReuseAddress(true);
            server.bind(address, BACKLOG);
            server.setSoTimeout(SWEEP_MILLIS);
        } catch (IOException e) {
            server.close();
            throw e;
        }
        // A platform thread: it accepts, and ends late connections, while virtual threads are all busy.
        Thread.ofPlatform().daemon().name("tutti-health").start(this::serve);
        LOG.info("health of node {} at http://{}:{}/health", node.name(), address.getHostString(), port());
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
        return start(node, address, List.of());
    }

    /**
     * Serves at an address, in the clear.
     *
     * @param names host names under which requests get everything, besides localhost, addresses and the name in {@code
     *     address}
     * @throws IOException if it can't be bound
     */
    public static HealthServer start(Node node, InetSocketAddress address, Collection<String> names) throws IOException {
        return new HealthServer(node, address, names, CONNECTION_TIME_MAX);
    }

    /**
     * Serves at the address of a text, in the clear: {@code SITE_LOCAL:8080}, {@code eth*:8080} or {@code ANY:8080}, with the
     * keywords and patterns of {@code bind.address}.
     *
     * @throws IllegalArgumentException if the text has no port, or nothing matches; the message says what there is
     * @throws IOException if it can't be bound
     */
    public static HealthServer start(Node node, String address) throws IOException {
        HostPort wanted = HostPort.parse(address);
        if (wanted.port() < 0) {
            throw new IllegalArgumentException("'" + address + "' has no port; write SITE_LOCAL:8080 or 10.0.0.1:8080");
        }
        try {
            return start(node, new InetSocketAddress(AddressChoice.ofMachine().listen(wanted.host()), wanted.port()));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    public int port() {
        return server.getLocalPort();
    }

    /** Returns the present counters and levels, by name. */
    public Map<String, Long> status() {
        Map<String, Long> status = new LinkedHashMap<>();
        status.put("connections", (long) places.taken());
        status.put("connections-evicted", places.evicted());
        status.put("connections-refused", places.refused());
        status.put("connections-too-slow", tooSlow.sum());
        status.put("requests", requests.sum());
        status.put("requests-malformed", malformed.sum());
        status.put("requests-foreign-host", foreignHosts.sum());
        return status;
    }

    // ------------------------------------------------------------------ connections

    private void serve() {
        while (!server.isClosed()) {
            try {
                admit(server.accept());
            } catch (SocketTimeoutException e) {
                // No connection has arrived, and a check is due.
            } catch (IOException e) {
                LOG.debug("health: a connection was not accepted: {}", e.getMessage());
            }
            sweep();
        }
    }

    private void admit(Socket socket) {
        Place place = places.enter(socket.getRemoteSocketAddress(), () -> close(socket));
        if (place == null) {
            close(socket);
            return;
        }
        Connection connection = new Connection(socket, System.nanoTime() + timeMax.toNanos());
        connections.add(connection);
        Thread.ofVirtual().name("tutti-health-request").start(() -> {
            try (socket) {
                answer(socket, place);
            } catch (IOException e) {
                LOG.debug("health: {} was not answered: {}", socket.getRemoteSocketAddress(), e.getMessage());
            } finally {
                connections.remove(connection);
                place.leave();
            }
        });
    }

    /** Ends connections that take too long; a thread that reads from one or writes to it gets an exception. */
    private void sweep() {
        long nowNanos = System.nanoTime();
        for (Connection connection : connections) {
            if (nowNanos - connection.endNanos() >= 0 && connections.remove(connection)) {
                tooSlow.increment();
                close(connection.socket());
            }
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("health: closing failed: {}", e.getMessage());
        }
    }

    private void answer(Socket socket, Place place) throws IOException {
        InputStream in = socket.getInputStream();
        HealthRequest request = HealthRequest.read(in);
        requests.increment();
        place.onBusy();
        Page page = page(request);
        place.onIdle();
        boolean isHead = request != null && request.method().equals("HEAD");
        byte[] body = page.text().getBytes(StandardCharsets.UTF_8);
        String head = "HTTP/1.1 " + page.status() + " " + phrase(page.status()) + "\r\nContent-Type: " + page.type()
                + "\r\nContent-Length: " + body.length + "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                + (page.status() == 405 ? "Allow: GET, HEAD\r\n" : "") + "Connection: close\r\n\r\n";
        OutputStream out = socket.getOutputStream();
        out.write(head.getBytes(StandardCharsets.US_ASCII));
        if (!isHead) {
            out.write(body);
        }
        out.flush();
        socket.shutdownOutput();
        // Closing with unread bytes would reset the connection before the answer was read.
        byte[] rest = new byte[1_024];
        int drained = 0;
        int count = in.read(rest);
        while (count >= 0 && drained < DRAINED_BYTES_MAX) {
            drained += count;
            count = in.read(rest);
        }
    }

    private static String phrase(int status) {
        return switch (status) {
            case 200 -> "OK";
            case 400 -> "Bad Request";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 421 -> "Misdirected Request";
            default -> "Service Unavailable";
        };
    }

    // ------------------------------------------------------------------ pages

    private Page page(@Nullable HealthRequest request) {
        if (request == null) {
            malformed.increment();
            return new Page(400, "text/plain", "the request can't be read\n");
        }
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            return new Page(405, "text/plain", "only GET and HEAD\n");
        }
        boolean isKnown = hosts.isAllowed(request.host());
        if (!isKnown) {
            foreignHosts.increment();
        }
        return switch (request.path()) {
            case "/health/live" -> health(health(), isKnown, Health::isAlive);
            case "/health/ready", "/health" -> health(health(), isKnown, Health::isReady);
            case "/metrics" -> isKnown ? metrics() : new Page(421, "text/plain", "numbers are told to those who ask for localhost, for"
                    + " an address, or for a name that HealthServer.start was given\n");
            default -> new Page(404, "text/plain", "there are /health, /health/live, /health/ready and /metrics\n");
        };
    }

    private Page metrics() {
        NodeInspection inspection = readings.inspection();
        return inspection == null
                ? new Page(503, "text/plain", readings.node() + " does not answer\n")
                : new Page(200, PrometheusText.CONTENT_TYPE, PrometheusText.write(inspection));
    }

    /** Returns the health of an inspection that is not older than a second, however often it is asked for. */
    private Health health() {
        NodeInspection inspection = readings.inspection();
        return inspection == null ? readings.node().health() : inspection.health();
    }

    private static Page health(Health health, boolean isKnown, Predicate<Health> isGood) {
        Map<String, Object> document =
                isKnown ? health.document() : Map.of("alive", health.isAlive(), "ready", health.isReady());
        return new Page(isGood.test(health) ? 200 : 503, "application/json", Json.write(document) + "\n");
    }

    /** Stops serving; the node continues. Idempotent. */
    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            LOG.debug("health: closing failed: {}", e.getMessage());
        }
        connections.forEach(connection -> close(connection.socket()));
    }
}
