package dev.tutti.demo;

import dev.tutti.internal.Json;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeoutException;

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
final class Page extends HttpServlet {

    private static final long serialVersionUID = 1;

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

    private final transient DemoCluster cluster;
    private final transient Journal journal;

    Page(DemoCluster cluster, Journal journal) {
        this.cluster = cluster;
        this.journal = journal;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader("Content-Security-Policy", POLICY);
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cache-Control", "no-store");
        String path = request.getRequestURI();
        String method = request.getMethod();
        boolean isRead = method.equals("GET") || method.equals("HEAD");
        String file = FILES.get(path);
        if (!Front.HOSTS.contains(request.getServerName())) {
            send(response, 421, "text/plain", "This host is 127.0.0.1 or localhost.\n");
        } else if (path.startsWith(Front.SHOP)) {
            send(response, 503, "text/plain", "No node of the shop is up.\n");
        } else if (isRead && file != null) {
            sendFile(response, file);
        } else if (isRead && path.equals("/demo/status")) {
            send(response, 200, "application/json", Json.write(status()));
        } else if (method.equals("POST") && path.startsWith(CONTROL)) {
            control(request, response, path.substring(CONTROL.length()).split("/", -1));
        } else {
            send(response, 404, "text/plain", "There is nothing at " + path + ". The page is at / and the cart at /shop/cart\n");
        }
    }

    private void control(HttpServletRequest request, HttpServletResponse response, String[] path) throws IOException {
        if (request.getHeader(CONTROL_HEADER) == null) {
            send(response, 403, "text/plain", "The header " + CONTROL_HEADER + " is missing.\n");
            return;
        }
        String action = path.length == 2 ? path[1] : "";
        if (!cluster.names().contains(path[0]) || !List.of("kill", "start").contains(action)) {
            send(response, 404, "text/plain", "A node is one of " + cluster.names() + ", an action kill or start.\n");
            return;
        }
        if (action.equals("kill")) {
            kill(path[0]);
        } else {
            cluster.start(path[0]).whenComplete((uri, failure) -> {
                if (failure != null) {
                    journal.say(path[0] + " was not started: " + failure.getMessage());
                }
            });
        }
        send(response, 200, "application/json", Json.write(status()));
    }

    private void kill(String node) {
        try {
            cluster.kill(node);
        } catch (TimeoutException e) {
            journal.say(node + " was killed: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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

    private static void sendFile(HttpServletResponse response, String name) throws IOException {
        try (InputStream in = Page.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("the page's " + name + " is not in the jar");
            }
            response.setContentType(TYPES.getOrDefault(name.substring(name.indexOf('.') + 1), "application/octet-stream"));
            response.getOutputStream().write(in.readAllBytes());
        }
    }

    private static void send(HttpServletResponse response, int status, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        response.setContentType(type + ";charset=utf-8");
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }
}
