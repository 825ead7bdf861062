package dev.tutti.grid.mediator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Query;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.member.GridMember;
import dev.tutti.netty.tls.Certificates;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ways to a mediator: TLS, a proxy, and bytes that are no messages. */
class MediatorDoorTest {

    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private Node node;
    private GridMember grid;

    @BeforeEach
    void open() {
        node = Node.tcp(0).name("n1").start();
        grid = GridMember.on(node).timeout(Duration.ofSeconds(30)).join();
    }

    @AfterEach
    void close() {
        grid.close();
        node.close();
    }

    @Test
    void clientsTrustTheAuthorityThatTheyHave(@TempDir Path directory) throws Exception {
        Certificates.PemFiles authority = Certificates.createAuthority(directory, Certificates.Request.of("authority"));
        Certificates.PemFiles other = Certificates.createAuthority(directory, Certificates.Request.of("other"));
        Certificates.PemFiles own = Certificates.createNode(
                directory, authority, new Certificates.Request("mediator", List.of("localhost", "127.0.0.1"), Duration.ofDays(1), false));
        try (Mediator mediator = Mediator.on(grid).port(0).tls(own.certificate(), own.key()).open();
                GridClient client = GridClient.of(mediator.url()).authority(authority.certificate()).open();
                GridClient stranger = GridClient.of(mediator.url()).authority(other.certificate()).open()) {
            assertThat(mediator.url().getScheme()).isEqualTo("https");
            assertThat(client.find(Query.ALL.within(DEADLINE)).missing()).isEmpty();
            assertThat(stranger.find(Query.ALL.within(Duration.ofSeconds(1))).missing()).hasSize(1);
        }
    }

    @Test
    void clientsComeThroughAProxy() throws Exception {
        AtomicInteger tunnels = new AtomicInteger();
        try (Mediator mediator = Mediator.on(grid).port(0).names("mediator.invalid").open();
                ServerSocket proxy = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> serve(proxy, mediator.port(), tunnels));
            URI hidden = URI.create("http://mediator.invalid:1");
            // The proxy alone knows where the mediator is.
            try (GridClient client = GridClient.of(hidden).proxy("127.0.0.1", proxy.getLocalPort()).open()) {
                assertThat(client.subscribe(SubscriptionOptions.of("c", Filter.ALL), measurement -> {}).waitingBytes()).isZero();
                Await.until("it is connected", client::isConnected);
                assertThat(tunnels.get()).isPositive();
            }
        }
    }

    private static void serve(ServerSocket proxy, int port, AtomicInteger tunnels) {
        try {
            while (true) {
                Socket client = proxy.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
                Thread.ofVirtual().start(() -> tunnel(client, server, tunnels));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private static void tunnel(Socket client, Socket server, AtomicInteger tunnels) {
        try (client; server) {
            StringBuilder head = new StringBuilder();
            InputStream in = client.getInputStream();
            while (!head.toString().endsWith("\r\n\r\n")) {
                head.append((char) in.read());
            }
            if (!head.toString().startsWith("CONNECT ")) {
                return;
            }
            tunnels.incrementAndGet();
            client.getOutputStream().write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            Thread.ofVirtual().start(() -> copy(server, client));
            in.transferTo(server.getOutputStream());
        } catch (IOException e) {
            // One of the two has gone.
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.close();
        } catch (IOException e) {
            // One of the two has gone.
        }
    }

    @Test
    void bytesThatAreNoMessagesEndTheirConnectionAlone() throws Exception {
        try (Mediator mediator = Mediator.on(grid).port(0).open();
                GridClient client = GridClient.of(mediator.url()).open();
                HttpClient http = HttpClient.newHttpClient()) {
            client.subscribe(SubscriptionOptions.of("c", Filter.ALL), measurement -> {});
            Await.until("the client is there", () -> mediator.numbers().get("clients") == 1 && client.isConnected());
            CompletableFuture<Integer> closed = new CompletableFuture<>();
            WebSocket socket = http.newWebSocketBuilder()
                    .buildAsync(URI.create(mediator.url().toString().replace("http", "ws") + "/v1/grid"), new WebSocket.Listener() {
                        @Override
                        public CompletionStage<?> onClose(WebSocket from, int status, String reason) {
                            closed.complete(status);
                            return CompletableFuture.completedFuture(null);
                        }
                    })
                    .join();
            socket.sendBinary(ByteBuffer.wrap(new byte[] {99, 1, 2, 3}), true).join();
            assertThat(closed.get()).isEqualTo(1002);
            Await.until("it is gone", () -> mediator.numbers().get("clients") == 1);
            assertThat(mediator.numbers().get("client-malformed")).isEqualTo(1);
            assertThat(client.isConnected()).isTrue();
        }
    }
}
