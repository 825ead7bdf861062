package dev.tutti.study.balancer;

import io.undertow.Undertow;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.proxy.LoadBalancingProxyClient;
import io.undertow.server.handlers.proxy.ProxyHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.xnio.OptionMap;
import org.xnio.Options;

/**
 * The process of the balancer: Undertow's proxy before a fixed list of nodes. Sticky, it sends a request to the node
 * whose name ends the session id; free, to the nodes by turns.
 *
 * <p>A request goes to another node only if it could not be sent to the first.
 */
public final class StudyBalancer {

    private static final int CONNECTIONS_MAX = 64;
    private static final int QUEUE_MAX = 1_000;
    private static final int REQUEST_MILLIS_MAX = 10_000;
    private static final int IO_THREADS = 2;
    private static final int WORKERS = 8;

    /** Nothing waits for the acknowledgement of what was sent before. */
    private static final OptionMap WITHOUT_DELAY = OptionMap.create(Options.TCP_NODELAY, true);

    private static final String COOKIE = "JSESSIONID";

    private StudyBalancer() {}

    /** Arguments: port, {@code sticky} or {@code free}, and name=address for each node. */
    public static void main(String[] arguments) throws IOException {
        start(Integer.parseInt(arguments[0]), arguments[1].equals("sticky"), List.of(arguments).subList(2, arguments.length));
        System.out.println("ready");
        System.in.transferTo(OutputStream.nullOutputStream());
        Runtime.getRuntime().halt(0);
    }

    /** Starts a balancer in this process. */
    public static Undertow start(int port, boolean isSticky, List<String> nodes) {
        LoadBalancingProxyClient client = new LoadBalancingProxyClient() {
            @Override
            protected Iterator<CharSequence> parseRoutes(HttpServerExchange exchange) {
                String id = isSticky ? sessionId(exchange) : "";
                int dot = id.lastIndexOf('.');
                return dot < 0 ? Collections.emptyIterator() : List.<CharSequence>of(id.substring(dot + 1)).iterator();
            }
        };
        client.setConnectionsPerThread(CONNECTIONS_MAX);
        client.setSoftMaxConnectionsPerThread(CONNECTIONS_MAX);
        client.setMaxQueueSize(QUEUE_MAX);
        // Seconds after which a node that refused a connection is asked again.
        client.setProblemServerRetry(1);
        for (String node : nodes) {
            int separator = node.indexOf('=');
            client.addHost(URI.create(node.substring(separator + 1)), node.substring(0, separator), null, WITHOUT_DELAY);
        }
        ProxyHandler proxy = ProxyHandler.builder()
                .setProxyClient(client)
                .setMaxRequestTime(REQUEST_MILLIS_MAX)
                .setMaxConnectionRetries(nodes.size())
                .setIdempotentRequestPredicate(exchange -> false)
                .build();
        Undertow server = Undertow.builder()
                .addHttpListener(port, "127.0.0.1")
                .setSocketOption(Options.TCP_NODELAY, true)
                .setIoThreads(IO_THREADS)
                .setWorkerThreads(WORKERS)
                .setHandler(exchange -> {
                    exchange.addResponseCommitListener(StudyBalancer::closeAfterFailure);
                    proxy.handleRequest(exchange);
                })
                .build();
        server.start();
        return server;
    }

    /** When the proxy learns of a failure for the second time, it closes the connection of a client that may use it again. */
    private static void closeAfterFailure(HttpServerExchange exchange) {
        if (exchange.getStatusCode() >= 500) {
            exchange.setPersistent(false);
        }
    }

    private static String sessionId(HttpServerExchange exchange) {
        var cookie = exchange.getRequestCookie(COOKIE);
        if (cookie != null) {
            return cookie.getValue();
        }
        Deque<String> inPath = exchange.getPathParameters().get(COOKIE.toLowerCase(Locale.ROOT));
        return inPath == null || inPath.isEmpty() ? "" : inPath.getFirst();
    }
}
