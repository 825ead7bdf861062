package dev.tutti.balancer;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tutti.Node;
import dev.tutti.announce.Announcer;
import dev.tutti.announce.AnnouncerBuilder;
import dev.tutti.announce.message.WebContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A web server that begins sessions, and announces itself. */
final class WebServer implements AutoCloseable {

    private final String route;
    private final HttpServer server;
    private final AtomicInteger ids = new AtomicInteger();

    final AtomicInteger served = new AtomicInteger();
    final CountDownLatch slowReached = new CountDownLatch(1);
    final CountDownLatch slowGoes = new CountDownLatch(1);

    WebServer(String route) {
        this(route, 0);
    }

    WebServer(String route, int port) {
        this.route = route;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_024);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::serve);
        server.start();
    }

    private void serve(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        String path = exchange.getRequestURI().getPath();
        String cookies = String.valueOf(exchange.getRequestHeaders().getFirst("Cookie"));
        if (!cookies.contains("." + route)) {
            exchange.getResponseHeaders().add("Set-Cookie", "JSESSIONID=" + ids.incrementAndGet() + "." + route + "; Path=/");
        }
        if (path.endsWith("/slow")) {
            slowReached.countDown();
            try {
                slowGoes.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        served.incrementAndGet();
        String text = path.endsWith("/headers")
                ? exchange.getRequestHeaders().entrySet().toString()
                : path.endsWith("/length") ? String.valueOf(body.length) : route;
        byte[] bytes = path.endsWith("/large") ? new byte[Integer.parseInt(exchange.getRequestURI().getQuery())] : text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    int port() {
        return server.getAddress().getPort();
    }

    AnnouncerBuilder announce(Node node, WebContext... contexts) {
        return Announcer.on(node).route(route).address("http", "127.0.0.1", port()).contexts(contexts);
    }

    @Override
    public void close() {
        slowGoes.countDown();
        server.stop(0);
    }
}
