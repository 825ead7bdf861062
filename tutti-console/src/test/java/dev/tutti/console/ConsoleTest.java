package dev.tutti.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.core.settings.SettingException;
import dev.tutti.internal.Json;
import dev.tutti.testing.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The console's answers to browsers, programs and attackers. */
@Timeout(60)
class ConsoleTest {

    private static final String TOKEN = "a token of the test's own";

    @TempDir
    private Path directory;

    private Node node;
    private Console console;
    private HttpClient client;

    @BeforeEach
    void start() throws IOException {
        Path file = privateFile("token", TOKEN + "\n");
        node = Node.tcp(0).name("n1").cluster("console").start();
        node.group("g").join();
        console = Console.on(node)
                .port(0)
                .set("console.token-file", file.toString())
                .set("console.request-timeout", "500 ms")
                .set("console.connections-max", "8")
                .set("console.browsers-max", "2")
                .set("console.interval", "200 ms")
                .set("console.health-port", "0")
                .start();
        client = HttpClient.newHttpClient();
    }

    @AfterEach
    void stop() {
        client.close();
        console.close();
        node.close();
    }

    private HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(console.address() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String path, String body, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(console.address() + path))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private String logIn() throws IOException, InterruptedException {
        return cookie(post("login", "token=" + TOKEN.replace(' ', '+')));
    }

    private static String cookie(HttpResponse<?> response) {
        String header = response.headers().firstValue("set-cookie").orElse("");
        return header.substring(0, Math.max(0, header.indexOf(';')));
    }

    /** Sends bytes as they are, and reads to the end of the connection. */
    private String raw(String request) throws IOException {
        return raw(console.port(), request);
    }

    private static String raw(int port, String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private long counter(String name) {
        return console.status().getOrDefault(name, -1L);
    }

    // ------------------------------------------------------------------ logging in

    @Test
    void withoutLogInThereIsNothingToSee() throws Exception {
        assertThat(get("").statusCode()).isEqualTo(303);
        assertThat(get("").headers().firstValue("location")).contains("/login");
        for (String path : List.of("api/cluster", "api/stream", "api/inspection?member=n1", "api/nothing")) {
            HttpResponse<String> response = get(path);
            assertThat(response.statusCode()).as(path).isEqualTo(401);
            assertThat(response.body()).doesNotContain("n1");
        }
        assertThat(counter("requests-without-login")).isEqualTo(4);
    }

    @Test
    void theTokenIsExchangedForACookieThatScriptsCannotRead() throws Exception {
        HttpResponse<String> response = post("login", "token=" + TOKEN.replace(' ', '+'));
        assertThat(response.statusCode()).isEqualTo(200);
        String header = response.headers().firstValue("set-cookie").orElseThrow();
        assertThat(header).startsWith("tutti-console-" + console.port() + "=").contains("HttpOnly", "SameSite=Strict", "Path=/");
        assertThat(header).doesNotContain(TOKEN);
        assertThat(get("", "Cookie", cookie(response)).statusCode()).isEqualTo(200);
    }

    @Test
    void thePrintedLinkLogsInOnce() throws Exception {
        String path = console.link().substring(console.address().length());
        HttpResponse<String> first = get(path);
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(get("", "Cookie", cookie(first)).statusCode()).isEqualTo(200);
        HttpResponse<String> second = get(path);
        assertThat(second.statusCode()).isEqualTo(403);
        assertThat(second.headers().firstValue("set-cookie")).isEmpty();
    }

    @Test
    void loggingOutEndsTheSession() throws Exception {
        String cookie = logIn();
        assertThat(post("logout", "", "Cookie", cookie).statusCode()).isEqualTo(200);
        assertThat(get("api/cluster", "Cookie", cookie).statusCode()).isEqualTo(401);
    }

    @Test
    void guessesAreLookedAtLaterAndLaterAndTheRightOneGetsIn() throws Exception {
        for (int attempt = 0; attempt < 4; attempt++) {
            assertThat(post("login", "token=wrong" + attempt).statusCode()).isEqualTo(403);
        }
        assertThat(counter("logins-delayed")).isEqualTo(1);
        assertThat(logIn()).isNotEmpty();
        assertThat(counter("logins-delayed")).isEqualTo(2);
        assertThat(counter("logins-refused")).isEqualTo(4);
    }

    @Test
    void linksThatAnotherPageMakesUpLockNobodyOut() throws Exception {
        String path = console.link().substring(console.address().length());
        for (int attempt = 0; attempt < 50; attempt++) {
            assertThat(get("login?once=x", "Sec-Fetch-Site", "cross-site").statusCode()).isEqualTo(403);
        }
        assertThat(cookie(get(path))).isNotEmpty();
        assertThat(logIn()).isNotEmpty();
        assertThat(counter("logins-delayed")).isZero();
    }

    @Test
    void wrongTokensOfAProgramDoNotKeepTheRightOneOut() throws Exception {
        Path file = privateFile("long", "0123456789abcdef0123456789abcdef");
        console.close();
        console = Console.on(node).port(0).set("console.token-file", file.toString()).start();
        for (int attempt = 0; attempt < 50; attempt++) {
            assertThat(get("api/cluster", "Authorization", "Bearer wrong").statusCode()).isEqualTo(401);
        }
        HttpResponse<String> right = get("api/cluster", "Authorization", "Bearer " + Files.readString(file));
        assertThat(right.statusCode()).isEqualTo(200);
        assertThat(counter("logins-refused")).isEqualTo(50);
    }

    @Test
    void programsBringTheTokenAlong() throws Exception {
        HttpResponse<String> response = get("api/cluster", "Authorization", "Bearer " + TOKEN);
        assertThat(response.statusCode()).isEqualTo(200);
        Map<?, ?> model = (Map<?, ?>) Json.parse(response.body());
        assertThat(model.get("self")).isEqualTo("n1");
        assertThat(get("api/cluster", "Authorization", "Bearer wrong").statusCode()).isEqualTo(401);
        HttpResponse<String> inspection = get("api/inspection?member=n1", "Authorization", "Bearer " + TOKEN);
        assertThat(inspection.body()).contains("\"groups\"").doesNotContain(TOKEN);
        assertThat(get("api/inspection?member=nobody", "Authorization", "Bearer " + TOKEN).statusCode()).isEqualTo(404);
    }

    @Test
    void whatIsNotSafeIsRefusedAtTheStart() throws IOException {
        Path file = privateFile("short", "abc");
        try (Node other = Node.tcp(0).start()) {
            assertThatThrownBy(() -> Console.on(other).port(0).set("console.token-file", file.toString()).start())
                    .isInstanceOf(SettingException.class)
                    .hasMessageContaining("3 characters");
        }
        try (Node other = Node.tcp(0).start()) {
            assertThatThrownBy(() -> Console.on(other).port(0).set("console.address", "ANY").start())
                    .isInstanceOf(SettingException.class)
                    .hasMessageContaining("console.insecure");
        }
    }

    @Test
    void aTokenThatOthersCanReadIsRefused() throws IOException {
        Path file = privateFile("open", TOKEN);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        try (Node other = Node.tcp(0).start()) {
            assertThatThrownBy(() -> Console.on(other).port(0).set("console.token-file", file.toString()).start())
                    .isInstanceOf(SettingException.class)
                    .hasMessageContaining("chmod 600 " + file);
        }
    }

    private Path privateFile(String name, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    // ------------------------------------------------------------------ probes

    @Test
    void probesAreAnsweredWithoutLogInUnderAnyName() throws Exception {
        assertThat(get("health").body()).isEqualTo("{\"status\":\"up\"}");
        assertThat(get("ready").body()).isEqualTo("{\"status\":\"ready\"}");
        assertThat(raw("GET /health HTTP/1.1\r\nHost: pod-7.example\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 200");
    }

    @Test
    void healthHasAPortWithPlacesOfItsOwn() throws Exception {
        List<Socket> idle = new ArrayList<>();
        for (int each = 0; each < 20; each++) {
            idle.add(new Socket(InetAddress.getLoopbackAddress(), console.healthPort()));
        }
        for (String path : List.of("/health", "/ready")) {
            assertThat(raw(console.healthPort(), "GET " + path + " HTTP/1.1\r\nHost: pod-7.example\r\nConnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 200");
        }
        for (String path : List.of("/", "/login", "/api/cluster", "/assets/app.js")) {
            assertThat(raw(console.healthPort(), "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")).startsWith("HTTP/1.1 404");
        }
        // Places of the console are others.
        assertThat(logIn()).isNotEmpty();
        assertThat(counter("connections-evicted")).isZero();
        for (Socket socket : idle) {
            socket.close();
        }
    }

    @Test
    void aNodeThatIsClosedIsNeitherHealthyNorReady() throws Exception {
        node.close();
        assertThat(get("health").statusCode()).isEqualTo(503);
        assertThat(get("ready").statusCode()).isEqualTo(503);
    }

    // ------------------------------------------------------------------ pages

    @Test
    void everyAnswerForbidsWhatThePageDoesNotNeed() throws Exception {
        for (String path : List.of("login", "", "health", "assets/app.js", "nothing", "api/cluster")) {
            HttpResponse<String> response = get(path);
            String policy = response.headers().firstValue("content-security-policy").orElse("");
            assertThat(policy).as(path).contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'");
            assertThat(policy).doesNotContain("unsafe", "http:", "https:", "*");
            assertThat(response.headers().firstValue("x-content-type-options")).contains("nosniff");
        }
    }

    @Test
    void filesThatHaveNotChangedAreNotSentAgain() throws Exception {
        HttpResponse<String> first = get("assets/app.js");
        assertThat(first.headers().firstValue("content-type")).contains("text/javascript; charset=utf-8");
        String tag = first.headers().firstValue("etag").orElseThrow();
        assertThat(get("assets/app.js", "If-None-Match", tag).statusCode()).isEqualTo(304);
    }

    @Test
    void pagesReferToNothingElsewhere() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/main/resources/dev/tutti/console/internal/assets"))) {
            for (Path file : files.filter(each -> each.toString().matches(".*/(app|dom|map|pages|charts|timeline|format|console|index|login)\\..*"))
                    .toList()) {
                assertThat(Files.readString(file).replace("http://www.w3.org/2000/svg", "")).as(file.toString())
                        .doesNotContain("http://", "https://", "innerHTML", "style=\"", "eval(");
            }
        }
    }

    @Test
    void aStreamTellsHistoryStoriesAndFigures() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(console.address() + "api/stream"))
                .header("Cookie", logIn())
                .build();
        try (InputStream in = client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body()) {
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            List<String> events = new ArrayList<>();
            while (events.size() < 5) {
                String line = lines.readLine();
                if (line.startsWith("event: ")) {
                    events.add(line.substring(7));
                } else if (line.startsWith("data: ")) {
                    assertThat(Json.parse(line.substring(6))).isNotNull();
                }
            }
            assertThat(events).startsWith("history", "stories", "cluster").contains("cluster");
        }
    }

    @Test
    void aLogInThatEndsEndsItsPages() throws Exception {
        String cookie = logIn();
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(console.address() + "api/stream")).header("Cookie", cookie).build();
        try (InputStream in = client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body()) {
            assertThat(in.read()).isPositive();
            post("logout", "", "Cookie", cookie);
            // As a response ends: a browser would report an exception here as an error.
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).endsWith("\n\n");
        }
        awaitCounter("browsers", 0);
    }

    @Test
    void asManyPagesAsAllowedAreKeptUpToDate() throws Exception {
        String cookie = logIn();
        List<InputStream> open = new ArrayList<>();
        for (int page = 0; page < 3; page++) {
            HttpResponse<InputStream> response = client.send(
                    HttpRequest.newBuilder(URI.create(console.address() + "api/stream")).header("Cookie", cookie).build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            assertThat(response.statusCode()).isEqualTo(page < 2 ? 200 : 503);
            open.add(response.body());
        }
        assertThat(counter("browsers-refused")).isEqualTo(1);
        for (InputStream in : open) {
            in.close();
        }
    }

    @Test
    void nobodyLooksNobodyIsAsked() throws Exception {
        long before = counter("gatherings");
        get("health");
        get("login");
        assertThat(counter("gatherings")).isEqualTo(before).isZero();
    }

    // ------------------------------------------------------------------ those who mean no good

    @Test
    void aNameThatWasPointedHereByAnotherPageIsRefused() throws Exception {
        String cookie = logIn();
        String answer = raw("GET /api/cluster HTTP/1.1\r\nHost: evil.example:" + console.port() + "\r\nCookie: " + cookie
                + "\r\nConnection: close\r\n\r\n");
        assertThat(answer).startsWith("HTTP/1.1 421").doesNotContain("members");
        assertThat(raw("GET /api/cluster HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 421");
        assertThat(counter("requests-foreign-host")).isEqualTo(2);
    }

    @Test
    void anotherPageCannotLogInOrOut() throws Exception {
        String cookie = logIn();
        assertThat(post("logout", "", "Cookie", cookie, "Origin", "https://evil.example").statusCode()).isEqualTo(403);
        assertThat(post("login", "token=x", "Sec-Fetch-Site", "cross-site").statusCode()).isEqualTo(403);
        assertThat(get("api/cluster", "Cookie", cookie).statusCode()).isEqualTo(200);
        assertThat(post("logout", "", "Cookie", cookie, "Origin", "null").statusCode()).isEqualTo(403);
        assertThat(counter("requests-foreign-page")).isEqualTo(3);
    }

    @Test
    void pathsLeadNowhereElse() throws Exception {
        for (String path : List.of(
                "/assets/../../../../etc/passwd", "/assets/..%2f..%2fetc%2fpasswd", "/assets/%2e%2e/Site.class", "/assets//app.js",
                "/assets/", "/../etc/passwd", "/assets/index.html%00.js", "/assets/C:\\windows", "//evil.example/")) {
            String answer = raw("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            assertThat(answer).as(path).startsWith("HTTP/1.1 404").doesNotContain("root:");
        }
        assertThat(raw("GET /%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 400");
    }

    @Test
    void whatIsTooLargeIsRefused() throws Exception {
        assertThat(raw("GET /" + "x".repeat(5_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n")).startsWith("HTTP/1.1 414");
        assertThat(raw("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(20_000) + "\r\n\r\n")).startsWith("HTTP/1.1 431");
        assertThat(raw("GET / HTTP/1.1\r\nHost: localhost\r\n" + "A: b\r\n".repeat(5_000) + "\r\n")).startsWith("HTTP/1.1 431");
        assertThat(raw("POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")).startsWith("HTTP/1.1 413");
    }

    @Test
    void whatIsNoRequestIsRefused() throws Exception {
        assertThat(raw("\u0016\u0003\u0001 TLS?\r\n\r\n")).startsWith("HTTP/1.1 400");
        assertThat(raw("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef"))
                .startsWith("HTTP/1.1 400");
        assertThat(raw("DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n")).startsWith("HTTP/1.1 405");
        assertThat(raw("TRACE /login HTTP/1.1\r\nHost: localhost\r\n\r\n")).startsWith("HTTP/1.1 405");
        assertThat(counter("requests-malformed")).isEqualTo(2);
    }

    @Test
    void requestsThatDripAreCutOffAndOthersAreServed() throws Exception {
        try (Socket slow = new Socket(InetAddress.getLoopbackAddress(), console.port())) {
            slow.setSoTimeout(20_000);
            OutputStream out = slow.getOutputStream();
            out.write("GET / HTTP/1.1\r\nHost: localhost\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(get("health").statusCode()).isEqualTo(200);
            // Drops as often as they come don't prolong it.
            try (ScheduledExecutorService dripping = Executors.newSingleThreadScheduledExecutor()) {
                dripping.scheduleAtFixedRate(() -> drip(out), 0, 50, TimeUnit.MILLISECONDS);
                assertThat(slow.getInputStream().read()).isEqualTo(-1);
                dripping.shutdownNow();
            }
        }
        assertThat(counter("requests-too-slow")).isEqualTo(1);
        assertThat(get("health").statusCode()).isEqualTo(200);
    }

    private static void drip(OutputStream out) {
        try {
            out.write("X: y\r\n".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            assertThat(e).isNotNull();
        }
    }

    @Test
    void connectionsThatSayNothingAreBoundedAndEnd() throws Exception {
        List<Socket> idle = new ArrayList<>();
        for (int each = 0; each < 20; each++) {
            idle.add(new Socket(InetAddress.getLoopbackAddress(), console.port()));
        }
        // While they hold all places that they may have: the oldest makes room.
        assertThat(get("health").statusCode()).isEqualTo(200);
        assertThat(logIn()).isNotEmpty();
        assertThat(counter("connections-evicted")).isGreaterThanOrEqualTo(16);
        assertThat(counter("connections-refused")).isZero();
        for (Socket socket : idle) {
            socket.setSoTimeout(20_000);
            assertThat(readEnd(socket)).isEqualTo(-1);
            socket.close();
        }
        assertThat(get("health").statusCode()).isEqualTo(200);
    }

    private static int readEnd(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read();
        } catch (SocketException e) {
            return -1;
        }
    }

    @Test
    void requestsBeforeTheAnswerToTheLastAreNotAnswered() throws Exception {
        String request = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
        assertThat(raw(request.repeat(50)).split("HTTP/1.1 200", -1).length - 1).isLessThan(50);
        assertThat(counter("requests-malformed")).isPositive();
    }

    private void awaitCounter(String name, long value) {
        Await.until(() -> name + " is " + value + ", not " + counter(name), () -> counter(name) == value);
    }
}
