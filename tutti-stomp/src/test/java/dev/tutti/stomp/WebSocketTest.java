package dev.tutti.stomp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.testing.Await;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class WebSocketTest {

    private static Cluster cluster;
    private static int port;
    private static HttpClient http;

    @BeforeAll
    static void start() {
        cluster = new Cluster();
        port = cluster.start(builder -> builder.set("stomp.origins", "https://shop.example")
                        .set("stomp.hosts", "stomp.example")
                        .pages(target -> target.equals("/hello?a=1") ? new Pages.Page("text/html", new byte[] {'h', 'i'}) : null))
                .port();
        http = HttpClient.newHttpClient();
    }

    @AfterAll
    static void stop() {
        // Sockets that a failed test has left open would keep an orderly shutdown waiting.
        http.shutdownNow();
        cluster.close();
    }

    /** Collects received messages, each with its kind in front. */
    private static final class Listener implements WebSocket.Listener {

        final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        private final StringBuilder text = new StringBuilder();
        private final ByteArrayOutputStream binary = new ByteArrayOutputStream();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean isLast) {
            text.append(part);
            if (isLast) {
                messages.add("text " + text);
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer part, boolean isLast) {
            byte[] bytes = new byte[part.remaining()];
            part.get(bytes);
            binary.writeBytes(bytes);
            if (isLast) {
                messages.add("binary " + binary.toString(StandardCharsets.ISO_8859_1));
                binary.reset();
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            messages.add("close " + status);
            return null;
        }

        String next() throws InterruptedException {
            return messages.poll(20, TimeUnit.SECONDS);
        }
    }

    private static WebSocket connect(Listener listener, String... headers) throws Exception {
        WebSocket.Builder builder = http.newWebSocketBuilder().subprotocols("v12.stomp", "v11.stomp", "v10.stomp");
        for (int index = 0; index < headers.length; index += 2) {
            builder.header(headers[index], headers[index + 1]);
        }
        WebSocket socket = builder.buildAsync(URI.create("ws://localhost:" + port + "/any"), listener)
                .get(20, TimeUnit.SECONDS);
        assertThat(socket.getSubprotocol()).isEqualTo("v12.stomp");
        socket.sendText("CONNECT\naccept-version:1.2\nhost:here\n\n\0", true).join();
        assertThat(listener.next()).startsWith("text CONNECTED\nversion:1.2\n");
        return socket;
    }

    @Test
    void carriesFramesOfTextAndOfBytes() throws Exception {
        Listener listener = new Listener();
        WebSocket socket = connect(listener);
        socket.sendText("SUBSCRIBE\nid:a\ndestination:/topic/ws\n\n\0SEND\ndestination:/topic/ws\n\n", false).join();
        socket.sendText("häl", false).join();
        socket.sendText("lo\0", true).join();
        assertThat(listener.next()).startsWith("text MESSAGE\nsubscription:a\n").endsWith("\n\nhällo\0");
        byte[] frame = "SEND\ndestination:/topic/ws\ncontent-length:3\n\n\u00ff\0\u00fe\0".getBytes(StandardCharsets.ISO_8859_1);
        socket.sendBinary(ByteBuffer.wrap(frame), true).join();
        assertThat(listener.next()).startsWith("binary MESSAGE\n").endsWith("\n\n\u00ff\0\u00fe\0");
        for (int length : new int[] {200, 70_000, 500_000}) {
            socket.sendText("SEND\ndestination:/topic/ws\n\n" + "x".repeat(length) + "\0", true).join();
            assertThat(listener.next()).hasSizeGreaterThan(length).endsWith("xxx\0");
        }
        socket.sendText("DISCONNECT\nreceipt:bye\n\n\0", true).join();
        assertThat(listener.next()).isEqualTo("text RECEIPT\nreceipt-id:bye\n\n\0");
        assertThat(listener.next()).isEqualTo("close 1000");
    }

    @Test
    void meetsClientsOfTcp() throws Exception {
        Listener listener = new Listener();
        WebSocket socket = connect(listener);
        socket.sendText("SUBSCRIBE\nid:a\ndestination:/topic/both\nreceipt:r\n\n\0", true).join();
        assertThat(listener.next()).startsWith("text RECEIPT");
        try (Client client = Client.connect(port)) {
            client.sendAndWait("SEND", "destination:/topic/both");
        }
        assertThat(listener.next()).startsWith("text MESSAGE");
        socket.abort();
    }

    @Test
    void tellsWhatIsWrongAndCloses() throws Exception {
        Listener listener = new Listener();
        WebSocket socket = connect(listener);
        socket.sendText("SEND\nbad\n\n\0", true).join();
        assertThat(listener.next()).startsWith("text ERROR\nmessage:a header of a SEND frame has no colon\n");
        assertThat(listener.next()).isEqualTo("close 1000");
    }

    @Test
    void letsPagesOfOtherOriginsConnectOnlyIfTheyAreNamed() throws Exception {
        connect(new Listener(), "Origin", "https://shop.example").abort();
        connect(new Listener(), "Origin", "http://localhost:" + port).abort();
        assertThatThrownBy(() -> connect(new Listener(), "Origin", "https://evil.example"))
                .isInstanceOf(ExecutionException.class)
                .hasStackTraceContaining("403");
    }

    @Test
    void givesUpOnAFrameThatNeverEnds() throws Exception {
        try (Cluster hasty = new Cluster()) {
            StompServer server = hasty.start(builder -> builder.set("stomp.frame-timeout", "500 ms"));
            try (Client client = Client.open(server.port())) {
                client.sendRaw(("GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
                client.skipHttp();
                byte[] connect = "CONNECT\naccept-version:1.2\n\n\0".getBytes(StandardCharsets.US_ASCII);
                client.sendRaw(new byte[] {(byte) 0x82, (byte) (0x80 | connect.length), 0, 0, 0, 0});
                client.sendRaw(connect);
                Await.until("it is logged in", () -> server.status().get("logged-in") == 1);
                // A ping is a whole frame, and so does not count as waiting.
                client.sendRaw(new byte[] {(byte) 0x89, (byte) 0x80, 0, 0, 0, 0});
                client.sendRaw(new byte[] {(byte) 0x82, (byte) 0xFE, (byte) 0xFF, (byte) 0xFF, 0, 0, 0, 0});
                client.sendRaw(new byte[40_000]);
                Await.until("it is held", () -> server.status().get("held-bytes") >= 40_000);
                assertThat(client.isClosed()).isTrue();
            }
            Await.until("it is given back", () -> server.status().get("held-bytes") == 0);
            assertThat(server.status()).containsEntry("disconnected.timeout", 1L);
        }
    }

    @Test
    void givesPagesToBrowsersAtTheSamePort() throws Exception {
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/hello?a=1")).build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("hi");
        assertThat(response.headers().map())
                .containsEntry("content-type", List.of("text/html"))
                .containsEntry("access-control-allow-origin", List.of("*"))
                .containsEntry("cache-control", List.of("no-store"));
    }

    private static final String UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n";

    private static String raw(String request) throws Exception {
        try (Client client = Client.open(port)) {
            client.sendRaw((request + "\r\n").getBytes(StandardCharsets.US_ASCII));
            return client.httpStatus();
        }
    }

    @Test
    void refusesNamesThatAnotherPageHasPointedHere() throws Exception {
        String evil = "Host: evil.example:" + port + "\r\n";
        String origin = "Origin: http://evil.example:" + port + "\r\n";
        assertThat(raw("GET / HTTP/1.1\r\n" + evil + origin + UPGRADE)).startsWith("HTTP/1.1 421");
        assertThat(raw("GET / HTTP/1.1\r\n" + evil + UPGRADE)).startsWith("HTTP/1.1 421");
        assertThat(raw("GET /hello?a=1 HTTP/1.1\r\n" + evil)).startsWith("HTTP/1.1 421");
        assertThat(raw("GET / HTTP/1.0\r\n" + UPGRADE)).startsWith("HTTP/1.1 421");
        assertThat(cluster.server(0).status().get("requests-foreign-host")).isEqualTo(4);
    }

    @Test
    void isKnownByItsAddressAndByNamesThatAreSet() throws Exception {
        for (String host : List.of("localhost:" + port, "127.0.0.1:" + port, "[::1]", "stomp.example")) {
            assertThat(raw("GET / HTTP/1.1\r\nHost: " + host + "\r\n" + UPGRADE)).as(host).startsWith("HTTP/1.1 101");
        }
    }

    @Test
    void tellsBrowsersThatThisIsNoWebSite() throws Exception {
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/")).build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(426);
        assertThat(response.body()).contains("STOMP");
    }
}
