package dev.tutti.balancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.announce.Announcer;
import dev.tutti.announce.message.ContextState;
import dev.tutti.announce.message.WebContext;
import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import dev.tutti.netty.tls.Certificates;
import dev.tutti.testing.Await;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real balancers and web servers, whose nodes meet in this process. */
class BalancerTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    private static final AtomicInteger CLUSTERS = new AtomicInteger();

    private final String cluster = "balancer-test-" + CLUSTERS.incrementAndGet();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        client.close();
    }

    @Test
    void spreadsSessionsEvenlyAndKeepsThemAsNodesCome() throws Exception {
        Balancer balancer = balancer(settings -> settings);
        Map<String, Integer> sessions = new HashMap<>();
        List<String> cookies = new ArrayList<>();
        int expected = 0;
        for (String route : List.of("a", "b", "c")) {
            web(route, WebContext.of("/shop"));
            expected++;
            awaitRoutes(balancer, expected);
            for (int i = 0; i < 80; i++) {
                HttpResponse<String> response = get(balancer, "/shop");
                cookies.add(response.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0]);
                sessions.merge(response.body(), 1, Integer::sum);
            }
            assertThat(sessions.values()).hasSize(expected).allSatisfy(count -> assertThat(count).isBetween(78, 82));
        }
        for (String cookie : cookies) {
            HttpResponse<String> response = client.send(
                    request(balancer, "/shop").header("Cookie", cookie).build(), BodyHandlers.ofString());
            assertThat(response.body()).isEqualTo(cookie.substring(cookie.indexOf('.') + 1));
            assertThat(response.headers().firstValue("Set-Cookie")).isEmpty();
        }
        assertThat(balancer.numbers()).containsEntry("sessions", 240L).containsEntry("sticky", 240L);
    }

    @Test
    void losesNoRequestWhenANodeIsDrained() throws Exception {
        Balancer balancer = balancer(settings -> settings);
        WebServer first = new WebServer("a");
        open.add(first);
        Announcer announcer = keep(first.announce(node("a"), WebContext.of("/shop")).open());
        web("b", WebContext.of("/shop"));
        awaitRoutes(balancer, 2);
        AtomicBoolean isOver = new AtomicBoolean();
        List<CompletableFuture<Integer>> clients = new ArrayList<>();
        AtomicInteger done = new AtomicInteger();
        for (int i = 0; i < 8; i++) {
            clients.add(CompletableFuture.supplyAsync(
                    () -> {
                        int failed = 0;
                        while (!isOver.get()) {
                            failed += post(balancer, "/shop/length", "four").statusCode() == 200 ? 0 : 1;
                            done.incrementAndGet();
                        }
                        return failed;
                    },
                    task -> Thread.ofVirtual().start(task)));
        }
        Await.until("requests are served", () -> first.served.get() > 20);
        assertThat(announcer.drain(LONG)).isTrue();
        // Nothing is sent here any more, so the server may go.
        int served = first.served.get();
        first.close();
        int mark = done.get();
        Await.until("requests are served without it", () -> done.get() > mark + 50);
        isOver.set(true);
        for (CompletableFuture<Integer> each : clients) {
            assertThat(each.get()).isZero();
        }
        assertThat(first.served.get()).isEqualTo(served);
        assertThat(balancer.numbers()).containsEntry("node-failures", 0L);
    }

    @Test
    void waitsForRequestsInFlightWhenANodeIsDrained() throws Exception {
        Balancer balancer = balancer(settings -> settings);
        WebServer first = new WebServer("a");
        open.add(first);
        Announcer announcer = keep(first.announce(node("a"), WebContext.of("/shop")).open());
        awaitRoutes(balancer, 1);
        CompletableFuture<HttpResponse<String>> slow =
                client.sendAsync(request(balancer, "/shop/slow").build(), BodyHandlers.ofString());
        first.slowReached.await();
        assertThat(announcer.drain(Duration.ofMillis(50))).isFalse();
        assertThat(get(balancer, "/shop").statusCode()).isEqualTo(503);
        first.slowGoes.countDown();
        assertThat(slow.get().statusCode()).isEqualTo(200);
        assertThat(announcer.drain(LONG)).isTrue();
    }

    @Test
    void takesOrdersOnThePageAndTellsThemToBothBalancers() throws Exception {
        Balancer one = balancer(settings -> settings);
        Balancer two = balancer(settings -> settings);
        web("a", WebContext.of("/shop"));
        web("b", WebContext.of("/shop"));
        awaitRoutes(one, 2);
        awaitRoutes(two, 2);
        Await.until("both are known", () -> one.numbers().get("balancers") == 2 && two.numbers().get("balancers") == 2);
        assertThat(order(one, "a", "drain").statusCode()).isEqualTo(202);
        Await.until("the other one knows", () -> text(two.consoleUrl() + "/v1/nodes").contains("draining"));
        for (Balancer balancer : List.of(one, two)) {
            Await.until("it is drained", () -> text(balancer.consoleUrl() + "/v1/nodes").contains("draining"));
            for (int i = 0; i < 10; i++) {
                assertThat(get(balancer, "/shop").body()).isEqualTo("b");
            }
            HttpRequest sticky = request(balancer, "/shop").header("Cookie", "JSESSIONID=1.a").build();
            assertThat(client.send(sticky, BodyHandlers.ofString()).body()).isEqualTo("a");
        }
        // A balancer that comes later knows it, too.
        Balancer three = balancer(settings -> settings);
        Await.until("the third one knows", () -> text(three.consoleUrl() + "/v1/nodes").contains("draining"));
        assertThat(order(two, "a", "enable").statusCode()).isEqualTo(202);
        Await.until("it is enabled", () -> !text(three.consoleUrl() + "/v1/nodes").contains("draining"));
        assertThat(order(two, "nobody", "drain").statusCode()).isEqualTo(404);
    }

    @Test
    void hasAPageForPeopleMetricsAndHealth() throws Exception {
        Balancer balancer = balancer(settings -> settings);
        web("a", WebContext.of("/shop").aliases("shop.example").version("7"), WebContext.of("/"));
        awaitRoutes(balancer, 1);
        get(balancer, "/");
        assertThat(text(balancer.consoleUrl() + "/")).contains("<td>a</td>", "/shop 7 of shop.example", "/v1/nodes/a/drain");
        assertThat(text(balancer.consoleUrl() + "/metrics"))
                .contains("tutti_balancer_requests_total 1", "tutti_balancer_nodes 1", "tutti_balancer_node_load{route=\"a\"} 0.0");
        assertThat(text(balancer.consoleUrl() + "/health/ready")).isEqualTo("ready\n");
        HttpRequest foreign = HttpRequest.newBuilder(URI.create(balancer.consoleUrl() + "/v1/nodes/a/stop"))
                .header("Origin", "http://evil.example")
                .POST(BodyPublishers.noBody())
                .build();
        assertThat(client.send(foreign, BodyHandlers.ofString()).statusCode()).isEqualTo(403);
        assertThat(text(balancer.consoleUrl() + "/v1/nodes")).contains("\"state\":\"enabled\"").doesNotContain("stopped");
    }

    @Test
    void asksForATokenIfThereAreTokens(@TempDir Path directory) throws Exception {
        Path tokens = Files.writeString(directory.resolve("tokens"), "balancer 0123456789abcdef\n");
        assertThat(tokens.toFile().setReadable(false, false) && tokens.toFile().setReadable(true, true)).isTrue();
        Balancer balancer = balancer(settings -> settings.with(BalancerSettings.CONSOLE_TOKENS_FILE, tokens.toString()));
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(balancer.consoleUrl() + "/v1/nodes"));
        assertThat(client.send(request.build(), BodyHandlers.ofString()).statusCode()).isEqualTo(401);
        request.header("Authorization", "Bearer 0123456789abcdef");
        assertThat(client.send(request.build(), BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    }

    @Test
    void refusesASecondNodeWithARouteUntilTheFirstIsGone() throws Exception {
        Balancer balancer = balancer(settings -> settings);
        WebServer first = new WebServer("a");
        WebServer second = new WebServer("a");
        open.add(first);
        open.add(second);
        Announcer older = keep(first.announce(node("older"), WebContext.of("/shop")).open());
        awaitRoutes(balancer, 1);
        CompletableFuture<String> told = new CompletableFuture<>();
        Announcer younger = keep(second.announce(node("younger"), WebContext.of("/shop")).onRefused(told::complete).open());
        assertThat(told.get()).contains("route a", "older", "another route (jvmRoute)");
        assertThat(younger.refusal()).isEqualTo(told.get());
        assertThat(get(balancer, "/shop").statusCode()).isEqualTo(200);
        assertThat(second.served.get()).isZero();
        older.close();
        Await.until("the younger one counts", () -> younger.refusal() == null);
        assertThat(get(balancer, "/shop").statusCode()).isEqualTo(200);
        assertThat(second.served.get()).isPositive();
    }

    @Test
    void sendsAgainWhatIsIdempotentAndNothingElse() throws Exception {
        Balancer balancer = balancer(settings -> settings);
        // It takes requests, and ends the connection instead of an answer.
        ServerSocket broken = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        open.add(broken);
        AtomicInteger taken = new AtomicInteger();
        Thread.ofVirtual().start(() -> {
            while (!broken.isClosed()) {
                try (Socket socket = broken.accept()) {
                    InputStream in = socket.getInputStream();
                    if (in.read() >= 0) {
                        taken.incrementAndGet();
                    }
                } catch (IOException e) {
                    return;
                }
            }
        });
        keep(Announcer.on(node("broken"))
                .route("broken")
                .address("http", "127.0.0.1", broken.getLocalPort())
                .contexts(WebContext.of("/shop"))
                .open());
        awaitRoutes(balancer, 1);
        assertThat(post(balancer, "/shop", "x").statusCode()).isEqualTo(502);
        assertThat(taken.get()).isEqualTo(1);
        web("good", WebContext.of("/shop"));
        awaitRoutes(balancer, 2);
        HttpRequest put = request(balancer, "/shop/length")
                .header("Cookie", "JSESSIONID=1.broken")
                .PUT(BodyPublishers.ofString("12345"))
                .build();
        assertThat(client.send(put, BodyHandlers.ofString()).body()).isEqualTo("5");
        HttpRequest get = request(balancer, "/shop").header("Cookie", "JSESSIONID=1.broken").build();
        assertThat(client.send(get, BodyHandlers.ofString()).body()).isEqualTo("good");
    }

    @Test
    void tellsNodesAboutTheClientAndHidesTheConnection() throws Exception {
        Balancer balancer = balancer(settings -> settings);
        web("a", WebContext.of("/"));
        awaitRoutes(balancer, 1);
        String answer = raw(balancer, "GET /headers HTTP/1.1\r\nHost: shop.example\r\nX-Forwarded-For: 6.6.6.6\r\nForwarded: for=6.6.6.6\r\n"
                + "Connection: close, X-Secret, Host\r\nX-Secret: 1\r\nKeep-Alive: 5\r\n\r\n");
        assertThat(answer)
                .startsWith("HTTP/1.1 200")
                .contains("X-forwarded-for=[127.0.0.1]", "X-forwarded-proto=[http]", "X-forwarded-host=[shop.example]", "Host=[shop.example]")
                .contains("Via=[1.1 tutti-")
                .contains("X-forwarded-port=[" + balancer.port() + "]")
                .doesNotContain("6.6.6.6", "X-secret", "Keep-alive=");
    }

    @Test
    void refusesRequestsThatAreMalformedOrTooLarge() throws Exception {
        Balancer balancer = balancer(settings -> settings.with(BalancerSettings.BODY_MAX, Size.kibibytes(1)));
        web("a", WebContext.of("/"));
        awaitRoutes(balancer, 1);
        Map<String, String> statuses = Map.ofEntries(
                Map.entry("GET /a/../b HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
                Map.entry("GET /a/%2e%2E/b HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
                Map.entry("GET /a/..;x=1/b HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
                Map.entry("GET /a%2fb HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
                Map.entry("GET / HTTP/1.1\r\n\r\n", "400"),
                Map.entry("GET / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n", "400"),
                Map.entry("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
                Map.entry("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "400"),
                Map.entry("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -5\r\n\r\n", "400"),
                Map.entry("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", "400"),
                Map.entry("TRACE / HTTP/1.1\r\nHost: h\r\n\r\n", "405"),
                Map.entry("GET /" + "a".repeat(10_000) + " HTTP/1.1\r\nHost: h\r\n\r\n", "414"),
                Map.entry("GET / HTTP/1.1\r\nHost: h\r\nX: " + "a".repeat(20_000) + "\r\n\r\n", "431"),
                Map.entry("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1025\r\n\r\n", "413"),
                Map.entry("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n600\r\n" + "a".repeat(0x600) + "\r\n0\r\n\r\n", "413"),
                Map.entry("GET / HTTP/1.1\r\nHost: h\r\nVia: 1.1 " + via(balancer) + "\r\n\r\n", "508"));
        for (Map.Entry<String, String> each : statuses.entrySet()) {
            assertThat(raw(balancer, each.getKey().replaceFirst("\r\n\r\n", "\r\nConnection: close\r\n\r\n")))
                    .as(each.getKey())
                    .startsWith("HTTP/1.1 " + each.getValue() + " ");
        }
        assertThat(balancer.numbers().get("in-flight")).isNull();
        Await.until("nothing is left", () -> balancer.numbers().get("requests-in-progress") == 0);
    }

    @Test
    void answersRequestsThatComeTogetherInTheirOrder() throws Exception {
        Balancer balancer = balancer(settings -> settings);
        web("a", WebContext.of("/"));
        awaitRoutes(balancer, 1);
        String answers = raw(balancer, "GET /large?10 HTTP/1.1\r\nHost: h\r\n\r\n".repeat(3)
                + "POST /length HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\n\r\n1234567"
                + "GET /none/../x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        assertThat(answers.split("HTTP/1.1 200", -1)).hasSize(5);
        assertThat(answers.split("HTTP/1.1 400", -1)).hasSize(2);
        assertThat(answers.indexOf("\r\n\r\n7")).isPositive().isLessThan(answers.indexOf("HTTP/1.1 400"));
    }

    @Test
    void passesLargeBodiesWithoutHoldingThem() throws Exception {
        Balancer balancer = balancer(settings -> settings);
        web("a", WebContext.of("/"));
        awaitRoutes(balancer, 1);
        int bytes = 20_000_000;
        HttpRequest large = request(balancer, "/large?" + bytes).build();
        assertThat(client.send(large, BodyHandlers.ofByteArray()).body()).hasSize(bytes);
        HttpRequest upload = request(balancer, "/length").POST(BodyPublishers.ofByteArray(new byte[bytes])).build();
        assertThat(client.send(upload, BodyHandlers.ofString()).body()).isEqualTo(String.valueOf(bytes));
    }

    @Test
    void speaksHttp2WithTls(@TempDir Path directory) throws Exception {
        Certificates.PemFiles authority = Certificates.createAuthority(directory, Certificates.Request.of("ca"));
        Certificates.PemFiles own = Certificates.createNode(
                directory,
                authority,
                new Certificates.Request("front", List.of("127.0.0.1", "localhost"), Duration.ofDays(1), false));
        Balancer balancer = balancer(settings -> settings.with(BalancerSettings.TLS_CERTIFICATE, own.certificate().toString())
                .with(BalancerSettings.TLS_KEY, own.key().toString()));
        web("a", WebContext.of("/"));
        awaitRoutes(balancer, 1);
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream in = Files.newInputStream(authority.certificate())) {
            trusted.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, trust.getTrustManagers(), null);
        for (Version version : Version.values()) {
            if (version.ordinal() > Version.HTTP_2.ordinal()) {
                continue;
            }
            try (HttpClient secure = HttpClient.newBuilder().sslContext(tls).version(version).build()) {
                List<CompletableFuture<HttpResponse<byte[]>>> all = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    all.add(secure.sendAsync(request(balancer, "/large?" + i * 15_000).build(), BodyHandlers.ofByteArray()));
                }
                for (int i = 0; i < 20; i++) {
                    HttpResponse<byte[]> response = all.get(i).get();
                    assertThat(response.version()).isEqualTo(version);
                    assertThat(response.body()).hasSize(i * 15_000);
                }
                HttpRequest upload = request(balancer, "/length").POST(BodyPublishers.ofByteArray(new byte[3_000_000])).build();
                assertThat(secure.send(upload, BodyHandlers.ofString()).body()).isEqualTo("3000000");
                HttpResponse<String> headers = secure.send(request(balancer, "/headers").build(), BodyHandlers.ofString());
                assertThat(headers.body()).contains("X-forwarded-proto=[https]").doesNotContain("X-http2");
            }
        }
    }

    @Test
    void passesWebSockets() throws Exception {
        Balancer balancer = balancer(settings -> settings);
        ServerSocket server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        open.add(server);
        Thread.ofVirtual().start(() -> echoFrames(server));
        keep(Announcer.on(node("echo"))
                .route("echo")
                .address("http", "127.0.0.1", server.getLocalPort())
                .contexts(WebContext.of("/"))
                .open());
        awaitRoutes(balancer, 1);
        CompletableFuture<String> received = new CompletableFuture<>();
        WebSocket socket = client.newWebSocketBuilder()
                .buildAsync(URI.create(balancer.url().replace("http", "ws") + "/echo"), new WebSocket.Listener() {
                    private final StringBuilder text = new StringBuilder();

                    @Override
                    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean isLast) {
                        text.append(data);
                        if (text.length() == 30_000) {
                            received.complete(text.toString());
                        }
                        from.request(1);
                        return null;
                    }
                })
                .get();
        String sent = "x".repeat(30_000);
        socket.sendText(sent, true).get();
        assertThat(received.get()).isEqualTo(sent);
        assertThat(balancer.numbers()).containsEntry("answers-1xx", 1L).containsEntry("requests-in-progress", 0L);
        socket.abort();
    }

    /** Answers the handshake of one WebSocket, and sends its first message back. */
    private static void echoFrames(ServerSocket server) {
        try (Socket socket = server.accept()) {
            InputStream in = socket.getInputStream();
            StringBuilder head = new StringBuilder();
            while (!head.toString().endsWith("\r\n\r\n")) {
                head.append((char) in.read());
            }
            Matcher key = Pattern.compile("(?i)sec-websocket-key: (.*)\r\n").matcher(head);
            if (!key.find()) {
                return;
            }
            byte[] hash = MessageDigest.getInstance("SHA-1")
                    .digest((key.group(1).strip() + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.US_ASCII));
            OutputStream out = socket.getOutputStream();
            out.write(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
                            + Base64.getEncoder().encodeToString(hash) + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            out.flush();
            DataInputStream frames = new DataInputStream(in);
            while (true) {
                int first = frames.read();
                if (first < 0) {
                    return;
                }
                int length = frames.read() & 0x7f;
                length = length == 126 ? frames.readUnsignedShort() : length;
                byte[] mask = frames.readNBytes(4);
                byte[] data = frames.readNBytes(length);
                for (int i = 0; i < data.length; i++) {
                    data[i] ^= mask[i % 4];
                }
                out.write(new byte[] {(byte) first, 126, (byte) (length >> 8), (byte) length});
                out.write(data);
                out.flush();
            }
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void endsWhatTakesTooLong() throws Exception {
        Balancer balancer = balancer(settings -> settings.with(BalancerSettings.ANSWER_TIMEOUT, Duration.ofMillis(200))
                .with(BalancerSettings.IDLE_TIMEOUT, Duration.ofMillis(300)));
        WebServer slow = web("a", WebContext.of("/"));
        awaitRoutes(balancer, 1);
        assertThat(get(balancer, "/slow").statusCode()).isEqualTo(504);
        slow.slowGoes.countDown();
        // A head that never ends.
        assertThat(raw(balancer, "GET / HTTP/1.1\r\nHost: h\r\n")).isEmpty();
        assertThat(balancer.numbers()).containsEntry("timeouts", 1L);
    }

    @Test
    void writesALineForEachRequest(@TempDir Path directory) throws Exception {
        Path log = directory.resolve("access.log");
        Balancer balancer = balancer(settings -> settings.with(BalancerSettings.ACCESS_LOG, log.toString()));
        web("a", WebContext.of("/"));
        awaitRoutes(balancer, 1);
        client.send(request(balancer, "/x?y").header("User-Agent", "a\"b").build(), BodyHandlers.ofString());
        Await.until("the line is there", () -> lines(log).size() == 1);
        assertThat(lines(log).getFirst()).matches("127.0.0.1 - - \\[.*] \"GET /x\\?y HTTP/1.1\" 200 1 \"-\" \"a\\\\x22b\" a [0-9.]+");
    }

    // ------------------------------------------------------------------ support

    private <T extends AutoCloseable> T keep(T resource) {
        open.add(resource);
        return resource;
    }

    private Node node(String name) {
        return keep(Node.local().name(name).cluster(cluster).start());
    }

    private Balancer balancer(UnaryOperator<Settings> changes) {
        Settings settings = Balancer.defaults().with(BalancerSettings.PORT, 0).with(BalancerSettings.CONSOLE_PORT, 0);
        return keep(Balancer.open(node("balancer" + open.size()), changes.apply(settings)));
    }

    private WebServer web(String route, WebContext... contexts) {
        WebServer server = keep(new WebServer(route));
        keep(server.announce(node(route), contexts).open());
        return server;
    }

    private static void awaitRoutes(Balancer balancer, int count) {
        Await.until("there are " + count + " nodes", () -> balancer.routes().size() == count);
    }

    private static String via(Balancer balancer) {
        return balancer.via();
    }

    private static HttpRequest.Builder request(Balancer balancer, String path) {
        return HttpRequest.newBuilder(URI.create(balancer.url() + path)).timeout(LONG);
    }

    private HttpResponse<String> get(Balancer balancer, String path) throws IOException, InterruptedException {
        return client.send(request(balancer, path).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> post(Balancer balancer, String path, String body) {
        try {
            return client.send(request(balancer, path).POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private HttpResponse<String> order(Balancer balancer, String route, String order) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(balancer.consoleUrl() + "/v1/nodes/" + route + "/" + order))
                .POST(BodyPublishers.noBody())
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private String text(String url) {
        try {
            return client.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString()).body();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sends bytes, and returns what comes until the connection ends. */
    private static String raw(Balancer balancer, String text) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), balancer.port())) {
            socket.setSoTimeout((int) LONG.toMillis());
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
