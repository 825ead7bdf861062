package dev.tutti.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.server.handlers.ResponseCodeHandler;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BalancerTest {

    private final List<Undertow> nodes = new ArrayList<>();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(5)).build();
    private final Balancer balancer = new Balancer();

    @BeforeEach
    void start() throws BindException {
        balancer.start(0, true, ResponseCodeHandler.HANDLE_404);
    }

    @AfterEach
    void stop() {
        balancer.close();
        nodes.forEach(Undertow::stop);
        client.close();
    }

    /** A node that answers with its name. */
    private URI node(String name) {
        HttpHandler answer = exchange -> exchange.getResponseSender().send(name);
        Undertow node = Undertow.builder()
                .addHttpListener(0, "127.0.0.1")
                .setIoThreads(1)
                .setWorkerThreads(1)
                .setHandler(answer)
                .build();
        node.start();
        nodes.add(node);
        int port = ((InetSocketAddress) node.getListenerInfo().getFirst().getAddress()).getPort();
        URI uri = URI.create("http://127.0.0.1:" + port + "/");
        balancer.add(name, uri);
        return uri;
    }

    private HttpResponse<String> send(String method, String cookie) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(balancer.uri().resolve("/shop/cart"))
                .timeout(Duration.ofSeconds(10))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (!cookie.isEmpty()) {
            request.header("Cookie", cookie);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void sendsASessionToItsNode() throws IOException, InterruptedException {
        node("node1");
        node("node2");
        for (int i = 0; i < 6; i++) {
            HttpResponse<String> response = send("GET", "JSESSIONID=ABC.node2");
            assertThat(response.body()).isEqualTo("node2");
            assertThat(response.headers().firstValue(Balancer.ROUTE_HEADER)).contains("node2");
        }
    }

    @Test
    void sharesOutThoseWithoutSession() throws IOException, InterruptedException {
        node("node1");
        node("node2");
        Set<String> answered = new TreeSet<>();
        for (int i = 0; i < 6; i++) {
            answered.add(send("GET", "").body());
        }
        assertThat(answered).containsExactly("node1", "node2");
    }

    @Test
    void sendsASessionElsewhereWhenItsNodeIsRemoved() throws IOException, InterruptedException {
        URI first = node("node1");
        node("node2");
        assertThat(send("POST", "JSESSIONID=ABC.node1").body()).isEqualTo("node1");
        balancer.remove(first);
        assertThat(send("POST", "JSESSIONID=ABC.node1").body()).isEqualTo("node2");
    }

    @Test
    void sendsASessionElsewhereWhenItsNodeRefusesConnections() throws IOException, InterruptedException {
        node("node1");
        node("node2");
        nodes.getFirst().stop();
        assertThat(send("POST", "JSESSIONID=ABC.node1").body()).isEqualTo("node2");
    }

    @Test
    void doesNotRepeatARequestThatANodeMayHaveBegun() throws IOException, InterruptedException {
        AtomicInteger begun = new AtomicInteger();
        try (ServerSocket dying = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try {
                    for (;;) {
                        Socket accepted = dying.accept();
                        try (accepted; InputStream in = accepted.getInputStream()) {
                            byte[] head = new byte[4_096];
                            int length = in.read(head);
                            if (new String(head, 0, Math.max(0, length), StandardCharsets.US_ASCII).startsWith("POST")) {
                                begun.incrementAndGet();
                            }
                        }
                    }
                } catch (IOException e) {
                    // The test is over, and has closed the socket.
                    return;
                }
            });
            balancer.add("node1", URI.create("http://127.0.0.1:" + dying.getLocalPort() + "/"));
            node("node2");
            HttpResponse<String> response = send("POST", "JSESSIONID=ABC.node1");
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.headers().firstValue(Balancer.ROUTE_HEADER)).contains("node1");
            assertThat(begun).hasValue(1);
            assertThat(send("POST", "JSESSIONID=ABC.node2").body()).isEqualTo("node2");
        }
    }

    @Test
    void saysThatThereIsNoNode() throws IOException, InterruptedException {
        HttpResponse<String> response = send("GET", "");
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue(Balancer.ROUTE_HEADER)).contains("none");
    }

    @Test
    void answersOnlyToItsOwnNames() throws IOException {
        node("node1");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), balancer.port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream()
                    .write("GET /shop/cart HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(answer).startsWith("HTTP/1.1 421").doesNotContain("node1");
        }
    }

    @Test
    void saysWhichPortIsTaken() {
        try (Balancer second = new Balancer()) {
            assertThatThrownBy(() -> second.start(balancer.port(), true, ResponseCodeHandler.HANDLE_404))
                    .isInstanceOf(BindException.class)
                    .hasMessage("port " + balancer.port() + " is in use");
        }
    }

    @Test
    void takesTheNextPortIfItMay() throws BindException {
        try (Balancer second = new Balancer()) {
            second.start(balancer.port(), false, ResponseCodeHandler.HANDLE_404);
            assertThat(second.port()).isBetween(balancer.port() + 1, balancer.port() + 20);
        }
    }
}
