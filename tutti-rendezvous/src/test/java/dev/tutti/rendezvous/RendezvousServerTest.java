package dev.tutti.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.rendezvous.settings.RendezvousServerSettings;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests to a server over sockets: right ones, wrong ones, floods. */
@Timeout(120)
class RendezvousServerTest {

    private static final String TOKEN = "a-token-of-cluster-c";
    private static final String MASTER = "the-token-of-everything";

    @TempDir
    private Path directory;

    private static Settings settings() {
        return RendezvousServer.defaults().with(RendezvousServerSettings.PORT, 0);
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private Path tokens() throws IOException {
        Path file = directory.resolve("tokens");
        Files.writeString(file, "# for tests\nc " + TOKEN + "\n* " + MASTER + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    /** Two ends of a pair. */
    private record Ends(Peer dialler, Peer acceptor) implements AutoCloseable {

        static Ends open(int port, Peer control, String path, boolean isDiallerWebSocket, boolean isAcceptorWebSocket)
                throws IOException {
            Peer dialler = Peer.ask(port, "/v1/clusters/c/connect/" + path, isDiallerWebSocket);
            Peer acceptor = Peer.ask(port, "/v1/clusters/c/accept/" + control.ticket(), isAcceptorWebSocket);
            assertThat(acceptor.status()).isEqualTo(101);
            assertThat(dialler.status()).isEqualTo(101);
            return new Ends(dialler, acceptor);
        }

        @Override
        public void close() throws IOException {
            dialler.close();
            acceptor.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"false,false", "true,false", "false,true", "true,true"})
    void relaysBytesAsTheyAre(boolean isDiallerWebSocket, boolean isAcceptorWebSocket) throws Exception {
        try (RendezvousServer server = RendezvousServer.open(settings());
                Peer control = Peer.listen(server.port(), "c", "n:1");
                Ends ends = Ends.open(server.port(), control, "n:1", isDiallerWebSocket, isAcceptorWebSocket)) {
            for (int length : new int[] {1, 100, 5_000, 300_000}) {
                byte[] sent = bytes(length);
                Thread writer = Thread.ofVirtual().start(() -> {
                    try {
                        ends.dialler.send(sent);
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
                assertThat(ends.acceptor.receive(length)).isEqualTo(sent);
                writer.join();
                ends.acceptor.send(sent);
                assertThat(ends.dialler.receive(length)).isEqualTo(sent);
            }
            assertThat(server.numbers()).containsEntry("pairs", 1L).containsEntry("paired", 1L);
            ends.dialler.close();
            assertThat(ends.acceptor.isClosed()).isTrue();
            ends.acceptor.close();
            Await.until("the pair is over", () -> server.numbers().get("pairs") == 0);
        }
    }

    @Test
    void passesOnTheEndOfOneDirection() throws Exception {
        try (RendezvousServer server = RendezvousServer.open(settings());
                Peer control = Peer.listen(server.port(), "c", "n:1");
                Ends ends = Ends.open(server.port(), control, "n:1", false, false)) {
            ends.dialler.send(bytes(10));
            ends.dialler.socket.shutdownOutput();
            assertThat(ends.acceptor.receive(11)).isEqualTo(bytes(10));
            ends.acceptor.send(bytes(20));
            assertThat(ends.dialler.receive(20)).isEqualTo(bytes(20));
        }
    }

    @Test
    void listsAndWatches() throws Exception {
        try (RendezvousServer server = RendezvousServer.open(settings());
                Peer first = Peer.listen(server.port(), "c", "n%3A1")) {
            Peer list = Peer.ask(server.port(), "/v1/clusters/c/nodes", false);
            assertThat(list.status()).isEqualTo(200);
            String version = list.head().replaceAll("(?s).*tutti-version: (\\d+).*", "$1");
            assertThat(list.body()).isEqualTo("n:1\n");
            Peer watch = Peer.ask(server.port(), "/v1/clusters/c/nodes?after=" + version, false);
            try (Peer second = Peer.listen(server.port(), "c", "n:2")) {
                assertThat(watch.status()).isEqualTo(200);
                assertThat(watch.body()).isEqualTo("n:1\nn:2\n");
                assertThat(second.socket.isClosed()).isFalse();
            }
            assertThat(first.socket.isClosed()).isFalse();
            Await.until("the second is gone", () -> server.numbers().get("nodes") == 1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/clusters/c/connect/n:2,404,no node of cluster c is here as n:2",
        "/v1/clusters/c/accept/00,404,the ticket is unknown",
        "/v1/clusters/c/nodes?limit=0,400,limit is a number from 1 to 1000",
        "/v1/clusters/c/nodes?limit=x,400,limit is a number",
        "/v1/clusters/c/nodes?limit=%zz,400,what follows the question mark is not encoded",
        "/v1/clusters/%0A/nodes,400,a cluster has 1 to 255 printable characters",
        "/v1/clusters/%zz/nodes,400,a cluster is not encoded",
        "/v1/clusters/c/listen/,400,1 to 300 printable",
        "/v2/clusters/c/nodes,404,there is nothing of that name",
        "/favicon.ico,404,there is nothing of that name"
    })
    void saysWhatIsWrong(String path, int status, String reason) throws Exception {
        try (RendezvousServer server = RendezvousServer.open(settings()); Peer peer = Peer.ask(server.port(), path, false)) {
            assertThat(peer.status()).isEqualTo(status);
            assertThat(peer.body()).contains(reason);
        }
    }

    @Test
    void asksForTokens() throws Exception {
        Settings settings = settings().with(RendezvousServerSettings.TOKENS_FILE, tokens().toString());
        try (RendezvousServer server = RendezvousServer.open(settings)) {
            String nodes = "/v1/clusters/c/nodes";
            assertThat(status(server, nodes)).isEqualTo(401);
            assertThat(status(server, nodes, "Authorization: Bearer wrong")).isEqualTo(401);
            assertThat(status(server, nodes, "Authorization: Bearer " + TOKEN)).isEqualTo(200);
            assertThat(status(server, nodes, "Authorization: Bearer " + MASTER)).isEqualTo(200);
            assertThat(status(server, "/v1/clusters/d/nodes", "Authorization: Bearer " + TOKEN)).isEqualTo(403);
            assertThat(status(server, "/v1/clusters/c/listen/n:1")).isEqualTo(401);
            assertThat(status(server, "/v1/clusters/c/accept/00")).isEqualTo(401);
            assertThat(status(server, "/")).isEqualTo(401);
            assertThat(status(server, "/metrics", "Authorization: Bearer " + TOKEN)).isEqualTo(403);
            assertThat(status(server, "/metrics", "Authorization: Bearer " + MASTER)).isEqualTo(200);
            // As a browser sends it: any name, and the token as the password.
            String basic = java.util.Base64.getEncoder().encodeToString(("x:" + MASTER).getBytes());
            assertThat(status(server, "/", "Authorization: Basic " + basic)).isEqualTo(200);
            assertThat(status(server, "/health/live")).isEqualTo(200);
            assertThat(server.numbers()).containsEntry("unauthorized", 5L);
        }
    }

    private static int status(RendezvousServer server, String path, String... headers) throws IOException {
        try (Peer peer = Peer.ask(server.port(), path, false, headers)) {
            return peer.status();
        }
    }

    @Test
    void refusesSettingsThatAreNotSafe() throws IOException {
        refuses(settings().with(RendezvousServerSettings.ADDRESS, "ANY"), "everybody could use the server");
        Path file = tokens();
        refuses(
                settings().with(RendezvousServerSettings.ADDRESS, "ANY").with(RendezvousServerSettings.TOKENS_FILE, file.toString()),
                "tokens could be read on the way");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        refuses(settings().with(RendezvousServerSettings.TOKENS_FILE, file.toString()), "chmod 600");
        Path wrong = directory.resolve("wrong");
        Files.writeString(wrong, "c short\n");
        Files.setPosixFilePermissions(wrong, PosixFilePermissions.fromString("rw-------"));
        refuses(settings().with(RendezvousServerSettings.TOKENS_FILE, wrong.toString()), "line 1: write a cluster, or *, and a token");
        refuses(settings().with(RendezvousServerSettings.TLS_KEY, "k.pem"), "one is missing");
    }

    private static void refuses(Settings settings, String reason) {
        assertThatThrownBy(() -> RendezvousServer.open(settings)).isInstanceOf(SettingException.class).hasMessageContaining(reason);
    }

    @Test
    void thousandsThatSayNothingKeepNobodyElseAway() throws Exception {
        Settings settings = settings().with(RendezvousServerSettings.HOST_CONNECTIONS_MAX, 200);
        List<Socket> silent = new ArrayList<>();
        try (RendezvousServer server = RendezvousServer.open(settings);
                Peer control = Peer.listen(server.port(), "c", "n:1")) {
            for (int index = 0; index < 2_000; index++) {
                silent.add(Peer.silent(server.port()).socket);
            }
            for (int index = 0; index < 500; index++) {
                Peer half = Peer.silent(server.port());
                half.write("GET /v1/clusters/c/listen/x" + index + " HTTP/1.1\r\nHo");
                silent.add(half.socket);
            }
            try (Ends ends = Ends.open(server.port(), control, "n:1", false, false)) {
                ends.dialler.send(bytes(100_000));
                assertThat(ends.acceptor.receive(100_000)).isEqualTo(bytes(100_000));
            }
            // The server's other threads may still have connections before them that came earlier than these two.
            Await.until(() -> "evicted: " + server.numbers(), () -> server.numbers().get("evicted") >= 2_200);
            assertThat(server.numbers().get("connections")).isLessThanOrEqualTo(210);
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void requestsThatAreSlowOrLongOrNoneAreClosed() throws Exception {
        Settings settings = settings().with(RendezvousServerSettings.REQUEST_TIMEOUT, Duration.ofMillis(300));
        try (RendezvousServer server = RendezvousServer.open(settings)) {
            try (Peer slow = Peer.silent(server.port())) {
                slow.write("GET /v1/clu");
                assertThat(slow.isClosed()).isTrue();
            }
            assertThat(server.numbers()).containsEntry("too-slow", 1L);
            try (Peer large = Peer.silent(server.port())) {
                large.write("GET / HTTP/1.1\r\nX: " + "x".repeat(20_000) + "\r\n\r\n");
                assertThat(large.status()).isEqualTo(400);
            }
            try (Peer post = Peer.silent(server.port())) {
                post.write("POST / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n");
                assertThat(post.status()).isIn(405, 413);
            }
            try (Peer garbage = Peer.silent(server.port())) {
                garbage.write("\u0016\u0003\u0001 what is this\r\n\r\n");
                assertThat(garbage.status()).isEqualTo(400);
            }
            assertThat(status(server, "/health/ready")).isEqualTo(200);
        }
    }

    @Test
    void aFloodOfRegistrationsIsBounded() throws Exception {
        Settings settings = settings().with(RendezvousServerSettings.HOST_NODES_MAX, 50);
        List<Peer> peers = new ArrayList<>();
        try (RendezvousServer server = RendezvousServer.open(settings)) {
            int refused = 0;
            for (int index = 0; index < 300; index++) {
                Peer peer = Peer.ask(server.port(), "/v1/clusters/c" + index % 7 + "/listen/n" + index + ":1", false);
                peers.add(peer);
                refused += peer.status() == 429 ? 1 : 0;
            }
            assertThat(refused).isEqualTo(250);
            assertThat(server.numbers()).containsEntry("nodes", 50L).containsEntry("refused", 250L);
        } finally {
            for (Peer peer : peers) {
                peer.close();
            }
        }
    }

    @Test
    void anEndThatDoesNotReadHoldsNoMemoryAndNobodyElse() throws Exception {
        try (RendezvousServer server = RendezvousServer.open(settings());
                Peer control = Peer.listen(server.port(), "c", "n:1");
                Ends stuck = Ends.open(server.port(), control, "n:1", false, false);
                Ends others = Ends.open(server.port(), control, "n:1", true, false)) {
            stuck.dialler.socket.setSendBufferSize(64 * 1_024);
            Thread writer = Thread.ofVirtual().start(() -> {
                try {
                    stuck.dialler.send(bytes(64 << 20));
                } catch (IOException e) {
                    // The test ends while it waits.
                    assertThat(e).isNotNull();
                }
            });
            for (int round = 0; round < 20; round++) {
                others.dialler.send(bytes(50_000));
                assertThat(others.acceptor.receive(50_000)).isEqualTo(bytes(50_000));
            }
            // Bytes that the server has taken: what sockets and one write buffer hold, of 64 MiB.
            Await.until("the stuck pair has stopped", () -> isStill(server));
            assertThat(server.numbers().get("relayed-bytes")).isLessThan(24L << 20);
            assertThat(writer.isAlive()).isTrue();
        }
    }

    private static boolean isStill(RendezvousServer server) {
        long before = server.numbers().get("relayed-bytes");
        try {
            status(server, "/health/live");
            status(server, "/health/live");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return server.numbers().get("relayed-bytes") == before;
    }

    @Test
    void showsAPageWithoutMarkupOfOthers() throws Exception {
        try (RendezvousServer server = RendezvousServer.open(settings());
                Peer control = Peer.listen(server.port(), "%3Cb%3Ebold", "n:1");
                Peer page = Peer.ask(server.port(), "/", false);
                Peer metrics = Peer.ask(server.port(), "/metrics", false)) {
            assertThat(page.status()).isEqualTo(200);
            assertThat(page.head()).contains("content-security-policy: default-src 'none'");
            assertThat(page.body()).contains("&lt;b&gt;bold", "<dt>Relayed now</dt><dd>0 B/s</dd>").doesNotContain("<b>bold");
            assertThat(metrics.status()).isEqualTo(200);
            assertThat(metrics.body())
                    .contains("tutti_rendezvous_nodes 1\n", "# TYPE tutti_rendezvous_requests_total counter");
            assertThat(control.socket.isClosed()).isFalse();
        }
    }
}
