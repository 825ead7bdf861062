package dev.tutti.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Health over HTTP, and hostile clients. */
@Timeout(60)
class HealthServerTest {

    private Node node;
    private HealthServer server;

    @BeforeEach
    void start() throws IOException {
        node = Node.tcp(0).name("n1").start();
        server = server(Duration.ofMillis(700));
    }

    private HealthServer server(Duration timeMax) throws IOException {
        return new HealthServer(
                node, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), List.of("health.example"), timeMax);
    }

    @AfterEach
    void stop() {
        server.close();
        node.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private String raw(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String get(String path, String host) throws IOException {
        return raw("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    }

    @Test
    void halfRequestsEndAndOthersAreServedMeanwhile() throws IOException {
        List<Socket> half = new ArrayList<>();
        for (int each = 0; each < 10; each++) {
            Socket socket = connect();
            socket.getOutputStream().write("GET /health HTTP/1.1\r\nHost: loc".getBytes(StandardCharsets.US_ASCII));
            half.add(socket);
        }
        assertThat(get("/health/live", "localhost")).startsWith("HTTP/1.1 200");
        for (Socket socket : half) {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
            socket.close();
        }
        assertThat(server.status()).containsEntry("connections-too-slow", 10L);
    }

    @Test
    void connectionsThatSayNothingDoNotHoldTheDoor() throws IOException {
        server.close();
        server = server(Duration.ofMinutes(1));
        List<Socket> idle = new ArrayList<>();
        for (int each = 0; each < 200; each++) {
            idle.add(connect());
        }
        assertThat(get("/health/live", "localhost")).startsWith("HTTP/1.1 200");
        assertThat(server.status().get("connections")).isLessThanOrEqualTo(HealthServer.CONNECTIONS_MAX / 2);
        assertThat(server.status().get("connections-evicted")).isPositive();
        assertThat(server.status()).containsEntry("connections-refused", 0L);
        assertThat(idle.getFirst().getInputStream().read()).as("the oldest is closed, not only forgotten").isEqualTo(-1);
        for (Socket socket : idle) {
            socket.close();
        }
    }

    @Test
    void aNameThatWasPointedHereByAPageLearnsNoNames() throws IOException {
        assertThat(get("/metrics", "evil.example:" + server.port())).startsWith("HTTP/1.1 421").doesNotContain("n1");
        assertThat(raw("GET /metrics HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 421");
        assertThat(server.status()).containsEntry("requests-foreign-host", 2L);
        for (String host : List.of("localhost:" + server.port(), "127.0.0.1", "[::1]:80", "health.example")) {
            assertThat(get("/metrics", host)).as(host).startsWith("HTTP/1.1 200").contains("n1");
        }
    }

    @Test
    void probesByAnyNameAreToldTheStateWithoutReasons() throws IOException {
        String answer = get("/health/live", "pod-7.example");
        assertThat(answer).startsWith("HTTP/1.1 200").contains("\"alive\":true").doesNotContain("reasons");
        assertThat(get("/health", "localhost")).contains("\"reasons\":[");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "NONSENSE\r\n\r\n", "GET /health\r\n\r\n", "GET http://localhost/health HTTP/1.1\r\n\r\n", "get / HTTP/1.1\r\n\r\n",
        "GET /health HTTP/2.0\r\n\r\n", "GET /health HTTP/1.1\r\nHost localhost\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", "\r\n\r\n"
    })
    void whatIsNoRequestIsRefused(String request) throws IOException {
        assertThat(raw(request)).startsWith("HTTP/1.1 400");
        assertThat(server.status()).containsEntry("requests-malformed", 1L);
    }

    @Test
    void headsAreBounded() throws IOException {
        assertThat(raw("GET /health HTTP/1.1\r\nA: " + "x".repeat(HealthRequest.HEAD_BYTES_MAX))).startsWith("HTTP/1.1 400");
        assertThat(raw("GET /health/live?x=" + "y".repeat(4_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n")).startsWith("HTTP/1.1 200");
    }
}
