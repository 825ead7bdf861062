package dev.tutti.demo;

import dev.tutti.internal.Json;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import io.undertow.util.HttpString;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The page of the demo, and the requests that it makes.
 *
 * <pre>
 * GET  /                            the page
 * GET  /demo/status                 nodes and events, as JSON
 * POST /demo/nodes/node1/kill       kill -9
 * POST /demo/nodes/node1/start      start it again
 * </pre>
 *
 * The last two require the header {@code Demo-Control}, which a page of another site can't send.
 */
final class Page implements HttpHandler {

    static final String CONTROL_HEADER = "Demo-Control";

    private static final Map<String, String> FILES = Map.of(
            "/", "index.html",
            "/demo.css", "demo.css",
            "/demo.js", "demo.js");
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html;charset=utf-8",
            "css", "text/css;charset=utf-8",
            "js", "text/javascript;charset=utf-8");
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    private static final String CONTROL = "/demo/nodes/";

    private final DemoCluster cluster;
    private final Journal journal;

    Page(DemoCluster cluster, Journal journal) {
        this.cluster = cluster;
        this.journal = journal;
    }

    @Override
    public void handleRequest(HttpServerExchange exchange) throws Exception {
        if (exchange.isInIoThread()) {
            exchange.dispatch(this);
            return;
        }
        exchange.getResponseHeaders()
                .put(new HttpString("Content-Security-Policy"), POLICY)
                .put(new HttpString("X-Content-Type-Options"), "nosniff")
                .put(new HttpString("Referrer-Policy"), "no-referrer")
                .put(Headers.CACHE_CONTROL, "no-store");
        String path = exchange.getRequestPath();
        String method = exchange.getRequestMethod().toString();
        boolean isRead = method.equals("GET") || method.equals("HEAD");
        String file = FILES.get(path);
        if (isRead && file != null) {
            sendFile(exchange, file);
        } else if (isRead && path.equals("/demo/status")) {
            send(exchange, 200, "application/json", Json.write(status()));
        } else if (method.equals("POST") && path.startsWith(CONTROL)) {
            control(exchange, path.substring(CONTROL.length()).split("/", -1));
        } else {
            send(exchange, 404, "text/plain", "There is nothing at " + path + ". The page is at / and the cart at /shop/cart\n");
        }
    }

    private void control(HttpServerExchange exchange, String[] path) throws InterruptedException {
        if (!exchange.getRequestHeaders().contains(CONTROL_HEADER)) {
            send(exchange, 403, "text/plain", "The header " + CONTROL_HEADER + " is missing.\n");
            return;
        }
        String action = path.length == 2 ? path[1] : "";
        if (!cluster.names().contains(path[0]) || !List.of("kill", "start").contains(action)) {
            send(exchange, 404, "text/plain", "A node is one of " + cluster.names() + ", an action kill or start.\n");
            return;
        }
        if (action.equals("kill")) {
            cluster.kill(path[0]);
        } else {
            cluster.start(path[0]).whenComplete((uri, failure) -> {
                if (failure != null) {
                    journal.say(path[0] + " was not started: " + failure.getMessage());
                }
            });
        }
        send(exchange, 200, "application/json", Json.write(status()));
    }

    private Map<String, Object> status() {
        List<Map<String, Object>> nodes = new ArrayList<>();
        for (DemoCluster.Seen seen : cluster.seen()) {
            Map<String, Object> node = new LinkedHashMap<>();
            node.put("name", seen.name());
            node.put("state", seen.state().name().toLowerCase(Locale.ROOT));
            node.put("process", seen.pid());
            NodeStatus status = seen.status();
            if (status != null) {
                node.put("view", status.view());
                node.put("members", status.members());
                node.put("sessions", status.sessions());
                node.put("requests", status.requests());
            }
            nodes.add(node);
        }
        List<Map<String, Object>> events = new ArrayList<>();
        for (Journal.Entry entry : journal.entries()) {
            Map<String, Object> event = new LinkedHashMap<>();
            event.put("number", entry.number());
            event.put("time", entry.time());
            event.put("text", entry.text());
            events.add(event);
        }
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("nodes", nodes);
        status.put("events", events);
        return status;
    }

    private static void sendFile(HttpServerExchange exchange, String name) throws IOException {
        try (InputStream in = Page.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("the page's " + name + " is not in the jar");
            }
            exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, TYPES.getOrDefault(
                    name.substring(name.indexOf('.') + 1), "application/octet-stream"));
            exchange.getResponseSender().send(ByteBuffer.wrap(in.readAllBytes()));
        }
    }

    private static void send(HttpServerExchange exchange, int status, String type, String text) {
        exchange.setStatusCode(status);
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, type + ";charset=utf-8");
        exchange.getResponseSender().send(text);
    }
}
