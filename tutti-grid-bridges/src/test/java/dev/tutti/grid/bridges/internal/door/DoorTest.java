package dev.tutti.grid.bridges.internal.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.tutti.grid.ServerOptions;
import dev.tutti.netty.tls.Certificates;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DoorTest {

    private static final String TOKEN = "0123456789abcdef0123";

    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static Door echo(ServerOptions options) {
        return new Door("echo", options, call -> Reply.text(200, call.method() + " " + call.path() + " " + call.type() + " " + call.body().length));
    }

    private HttpResponse<String> post(URI url, byte[] body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(url).POST(BodyPublishers.ofByteArray(body)).timeout(Duration.ofSeconds(50));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    @Test
    void requestsOfOneConnectionAreAnsweredOneAfterTheOther() throws Exception {
        try (Door door = echo(ServerOptions.port(0)); Socket socket = new Socket(InetAddress.getLoopbackAddress(), door.url("/").getPort())) {
            for (int i = 0; i < 3; i++) {
                socket.getOutputStream().write("POST /a?b HTTP/1.1\r\nHost: localhost\r\nContent-Type: Text/X; y\r\nContent-Length: 3\r\n\r\nabc".getBytes(StandardCharsets.US_ASCII));
                String answer = "";
                while (!answer.endsWith("POST /a text/x 3\n")) {
                    int read = socket.getInputStream().read();
                    assertThat(read).as(answer).isNotNegative();
                    answer += (char) read;
                }
                assertThat(answer).startsWith("HTTP/1.1 200 OK\r\n");
            }
            assertThat(door.requests()).isEqualTo(3);
            assertThat(door.refused()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "\0\1\2\3\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n\r\n",
    })
    void hostileRequestsAreRefusedAndTheConnectionEnds(String request) throws Exception {
        AtomicInteger served = new AtomicInteger();
        try (Door door = new Door("test", ServerOptions.port(0), call -> {
                    served.incrementAndGet();
                    return Reply.text(200, "");
                });
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), door.url("/").getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            assertThat(answer).matches("(?s)HTTP/1.1 4(00|03|13) .*");
            assertThat(door.refused()).isEqualTo(1);
            assertThat(served.get()).isZero();
        }
    }

    @Test
    void aLongLineAndLongHeadersAreRefused() throws Exception {
        try (Door door = echo(ServerOptions.port(0))) {
            assertThat(post(URI.create(door.url("/") + "x".repeat(10_000)), new byte[0]).statusCode()).isEqualTo(400);
            assertThat(post(door.url("/"), new byte[0], "X-Y", "x".repeat(20_000)).statusCode()).isEqualTo(400);
        }
    }

    @Test
    void aBodyThatIsTooLargeIsRefusedWithLengthOrWithout() throws Exception {
        try (Door door = echo(ServerOptions.port(0))) {
            assertThat(post(door.url("/"), new byte[Desk.BODY_BYTES_MAX]).body()).isEqualTo("POST /  " + Desk.BODY_BYTES_MAX + "\n");
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), door.url("/").getPort())) {
                socket.getOutputStream().write("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                byte[] chunk = ("100000\r\n" + "x".repeat(1 << 20) + "\r\n").getBytes(StandardCharsets.US_ASCII);
                try {
                    for (int i = 0; i < 8; i++) {
                        socket.getOutputStream().write(chunk);
                    }
                } catch (IOException _) {
                    // It has ended the connection.
                }
                Await.until("it is refused", () -> door.refused() == 1);
            }
        }
    }

    @Test
    void moreRequestsThanAreAnsweredAtATimeAreToldToComeBack() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger served = new AtomicInteger();
        List<FutureTask<HttpResponse<String>>> waiting = new ArrayList<>();
        try (Door door = new Door("test", ServerOptions.port(0), call -> {
            served.incrementAndGet();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Reply.text(200, "done");
        })) {
            for (int i = 0; i < 16; i++) {
                FutureTask<HttpResponse<String>> task = new FutureTask<>(() -> post(door.url("/"), new byte[0]));
                Thread.ofVirtual().start(task);
                waiting.add(task);
            }
            Await.until("all places are taken", () -> served.get() == 16);
            HttpResponse<String> refused = post(door.url("/"), new byte[0]);
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).contains("1");
            end.countDown();
            for (Future<HttpResponse<String>> each : waiting) {
                assertThat(each.get().body()).isEqualTo("done\n");
            }
            assertThat(post(door.url("/"), new byte[0]).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void tokensAreAskedForBeforeTheBody(@TempDir Path directory) throws Exception {
        Path tokens = Files.createFile(
                directory.resolve("tokens"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(tokens, "bridges " + TOKEN + "\nother " + TOKEN + "other\n");
        try (Door door = echo(ServerOptions.port(0).tokens(tokens))) {
            assertThat(post(door.url("/"), new byte[0]).statusCode()).isEqualTo(401);
            assertThat(post(door.url("/"), new byte[0], "Authorization", "Bearer wrong").statusCode()).isEqualTo(401);
            assertThat(post(door.url("/"), new byte[0], "Authorization", "Bearer " + TOKEN + "other").statusCode()).isEqualTo(403);
            assertThat(post(door.url("/"), new byte[0], "Authorization", "Bearer " + TOKEN).statusCode()).isEqualTo(200);
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), door.url("/").getPort())) {
                socket.getOutputStream().write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)).startsWith("HTTP/1.1 401 ");
            }
        }
    }

    @Test
    void itListensElsewhereOnlyIfThatIsSafe(@TempDir Path directory) throws Exception {
        InetAddress any = InetAddress.getByName("0.0.0.0");
        assertThatIllegalArgumentException().isThrownBy(() -> echo(ServerOptions.port(0).bind(any))).withMessageContaining("Set tokens");
        Certificates.PemFiles authority = Certificates.createAuthority(directory, Certificates.Request.of("authority"));
        Certificates.PemFiles own = Certificates.createNode(
                directory, authority, new Certificates.Request("bridge", List.of("localhost"), Duration.ofDays(1), false));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> echo(ServerOptions.port(0).bind(any).tls(own.certificate(), own.key())))
                .withMessageContaining("Set tokens");
        assertThatIllegalArgumentException().isThrownBy(() -> echo(ServerOptions.port(0).authority(authority.certificate()))).withMessageContaining("TLS");
        try (Door door = echo(ServerOptions.port(0).tls(own.certificate(), own.key()).authority(authority.certificate()).bind(any))) {
            assertThat(door.url("/").getScheme()).isEqualTo("https");
            assertThatIllegalStateException()
                    .isThrownBy(() -> echo(ServerOptions.port(door.url("/").getPort()).bind(any).insecure()))
                    .withMessageContaining("can't be bound");
        }
        echo(ServerOptions.port(0).bind(any).insecure()).close();
    }

    @Test
    void aServiceThatFailsAnswers500() throws Exception {
        try (Door door = new Door("test", ServerOptions.port(0), call -> {
            throw new IllegalStateException("broken");
        })) {
            assertThat(post(door.url("/"), new byte[0]).statusCode()).isEqualTo(500);
        }
    }
}
