package dev.tutti.demo;

import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.proxy.LoadBalancingProxyClient;
import io.undertow.server.handlers.proxy.ProxyHandler;
import io.undertow.util.AttachmentKey;
import io.undertow.util.HttpString;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Load balancer before the nodes, on loopback: sticky by the route in the session cookie, with another node if there is
 * no route or its node is down.
 *
 * <p>A request goes to another node only if it could not be sent to the first. One that a node may have begun fails
 * with status 503; only the client knows whether repeating it is safe. Thread-safe.
 */
final class Balancer implements AutoCloseable {

    /** The response's header with the node that a request was last sent to, whether it answered or not. */
    static final String ROUTE_HEADER = "Balancer-Route";

    static final String SHOP = "/shop/";

    private static final HttpString ROUTE_NAME = new HttpString(ROUTE_HEADER);
    private static final AttachmentKey<String> ROUTE = AttachmentKey.create(String.class);

    private static final int CONNECTIONS_MAX = 64;
    private static final int QUEUE_MAX = 1_000;
    private static final int REQUEST_MILLIS_MAX = 10_000;

    private final Map<URI, String> routes = new ConcurrentHashMap<>();
    private final LoadBalancingProxyClient nodes = new LoadBalancingProxyClient() {
        @Override
        protected @Nullable Host selectHost(HttpServerExchange exchange) {
            Host host = super.selectHost(exchange);
            String route = host == null ? null : routes.get(host.getUri());
            exchange.putAttachment(ROUTE, route == null ? "none" : route);
            return host;
        }
    };
    private @Nullable Undertow server;
    private int port;

    Balancer() {
        nodes.setConnectionsPerThread(CONNECTIONS_MAX);
        nodes.setSoftMaxConnectionsPerThread(CONNECTIONS_MAX);
        nodes.setMaxQueueSize(QUEUE_MAX);
        // Seconds. A node is taken out when its process ends, so this only matters for one that refuses connections.
        nodes.setProblemServerRetry(1);
    }

    /**
     * @param port port to listen on
     * @param isFixed whether it must be that one; otherwise one of the next twenty is used
     * @param others answers requests that are not for the shop
     * @throws BindException if there is no free port
     */
    void start(int port, boolean isFixed, HttpHandler others) throws BindException {
        HttpHandler proxy = ProxyHandler.builder()
                .setProxyClient(nodes)
                .setMaxRequestTime(REQUEST_MILLIS_MAX)
                .setMaxConnectionRetries(3)
                // The proxy may report the failure of a begun request twice, and would repeat it twice.
                .setIdempotentRequestPredicate(exchange -> false)
                .build();
        HttpHandler root = exchange -> {
            if (!isForThisHost(exchange)) {
                exchange.setStatusCode(421);
                exchange.getResponseSender().send("This host is 127.0.0.1 or localhost.\n");
            } else if (exchange.getRequestPath().startsWith(SHOP)) {
                exchange.addResponseCommitListener(Balancer::sayRoute);
                proxy.handleRequest(exchange);
            } else {
                others.handleRequest(exchange);
            }
        };
        int last = isFixed || port == 0 ? port : Math.min(port + 20, 65_535);
        for (int candidate = port; candidate <= last; candidate++) {
            try {
                Undertow starting = Undertow.builder()
                        .addHttpListener(candidate, "127.0.0.1")
                        .setIoThreads(2)
                        .setWorkerThreads(8)
                        .setHandler(root)
                        .build();
                starting.start();
                server = starting;
                this.port = ((InetSocketAddress) starting.getListenerInfo().getFirst().getAddress()).getPort();
                return;
            } catch (RuntimeException e) {
                if (!(e.getCause() instanceof BindException)) {
                    throw e;
                }
            }
        }
        throw new BindException(
                isFixed ? "port " + port + " is in use" : "ports " + port + " to " + last + " are all in use");
    }

    /** Returns whether a request is for this host: a foreign page whose name points here gets nothing. */
    private static boolean isForThisHost(HttpServerExchange exchange) {
        String host = exchange.getHostName();
        return "127.0.0.1".equals(host) || "localhost".equals(host);
    }

    private static void sayRoute(HttpServerExchange exchange) {
        exchange.getResponseHeaders().put(ROUTE_NAME, Objects.requireNonNullElse(exchange.getAttachment(ROUTE), "none"));
        if (exchange.getStatusCode() >= 500) {
            // When the proxy learns of a failure for the second time, it closes the client's connection, on which the
            // next request may be under way already. So the client is told not to use it again.
            exchange.setPersistent(false);
        }
    }

    int port() {
        return port;
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** Lets requests go to {@code node}, too. */
    void add(String node, URI uri) {
        routes.put(uri, node);
        nodes.addHost(uri, node);
    }

    /** Stops requests to a node. */
    void remove(URI uri) {
        nodes.removeHost(uri);
        routes.remove(uri);
    }

    @Override
    public void close() {
        Undertow present = server;
        if (present != null) {
            present.stop();
        }
    }
}
