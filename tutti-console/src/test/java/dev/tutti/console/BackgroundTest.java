package dev.tutti.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.tutti.Node;
import dev.tutti.blocks.inspection.Inspection;
import dev.tutti.core.settings.SettingException;
import dev.tutti.internal.Json;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Looks at the cluster while no page is open, for alerts and the charts of a day, and traffic that looking causes. */
@Timeout(120)
class BackgroundTest {

    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    @TempDir
    private Path directory;

    private final List<Map<?, ?>> alerts = new CopyOnWriteArrayList<>();
    private final List<Node> others = new ArrayList<>();
    private HttpServer server;
    private String hook;
    private String token;
    private Node node;
    private HttpClient client;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            alerts.add((Map<?, ?>) Json.parse(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        hook = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        Path file = Files.writeString(directory.resolve("token"), TOKEN);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        token = file.toString();
        node = Node.tcp(0).name("n1").cluster("background").start();
        client = HttpClient.newHttpClient();
    }

    @AfterEach
    void stop() {
        client.close();
        others.forEach(Node::close);
        node.close();
        server.stop(0);
    }

    private Map<?, ?> get(Console console, String path) {
        try {
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(URI.create(console.address() + path)).header("Authorization", "Bearer " + TOKEN).build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            return (Map<?, ?>) Json.parse(response.body());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<?, ?> member(Map<?, ?> cluster, String name) {
        return ((List<?>) cluster.get("members"))
                .stream().map(each -> (Map<?, ?>) each).filter(each -> each.get("name").equals(name)).findFirst().orElse(Map.of());
    }

    @Test
    void alertsArePostedWithoutAPageAndEndWithTheirCause() {
        Node other = Node.tcp(0).name("n2").cluster("background").seeds(node.address()).start();
        others.add(other);
        try (Console console = Console.on(node)
                .port(0)
                .set("console.background-interval", "200 ms")
                .set("console.alerts", "silent, heap > 0 %")
                .set("console.webhook", hook)
                .start()) {
            Await.until(() -> "an alert about n1: " + alerts, () -> alerts.stream().anyMatch(alert -> "n1".equals(alert.get("subject"))));
            // It has no inspection open.
            Await.until(() -> "an alert about n2: " + alerts, () -> alerts.stream().anyMatch(
                    alert -> alert.get("state").equals("firing") && alert.get("subject").equals("n2 does not answer the console")));
            other.close();
            Await.until(() -> "its end: " + alerts, () -> alerts.stream().anyMatch(
                    alert -> alert.get("state").equals("over") && alert.get("subject").equals("n2 does not answer the console")));
            Await.until(() -> "all are counted: " + console.status(), () -> console.status().get("alerts-sent") >= 3);
            assertThat(console.status()).containsEntry("alerts-failed", 0L);
        }
    }

    @Test
    void wrongRulesAreRefusedAtTheStart() {
        assertThatThrownBy(() -> Console.on(node).port(0).set("console.alerts", "silent").start())
                .isInstanceOf(SettingException.class).hasMessageContaining("console.webhook");
    }

    @Test
    void aDayIsKeptWithoutAPage() {
        try (Console console = Console.on(node).port(0).set("console.token-file", token).set("console.background-interval", "200 ms").start()) {
            Await.until(() -> "members were asked", () -> console.status().get("gatherings") >= 3);
            for (String span : List.of("recent", "hours", "day")) {
                Map<?, ?> history = get(console, "api/history?span=" + span);
                assertThat((List<?>) history.get("points")).as(span).isNotEmpty();
            }
        }
    }

    @Test
    void nobodyIsAskedWithoutAPageIfTheIntervalIsZero() {
        try (Console console = Console.on(node).port(0).set("console.token-file", token).set("console.background-interval", "0 ms").start()) {
            assertThat((List<?>) get(console, "api/history?span=day").get("points")).isEmpty();
            assertThat(console.status().get("gatherings")).isZero();
        }
    }

    @Test
    void trafficOfTheConsoleItselfIsLeftOut() {
        try (Node other = Node.tcp(0).name("n2").cluster("background").seeds(node.address()).start();
                Inspection _ = Inspection.open(other);
                Console console = Console.on(node).port(0).set("console.token-file", token).set("console.interval", "200 ms").start()) {
            Await.until(() -> "n2 answers", () -> "answers".equals(member(get(console, "api/cluster"), "n2").get("state")));
            Await.until(() -> "n2 has answered often", () -> get(console, "api/inspection?member=n2").get("answered") instanceof Map<?, ?> answered
                    && get(console, "api/cluster") != null
                    && answered.get("n1") instanceof Number bytes
                    && bytes.longValue() > 500_000);
            Await.until(() -> "its traffic is little: " + member(get(console, "api/cluster"), "n2"),
                    () -> member(get(console, "api/cluster"), "n2").get("out") instanceof Number out && out.doubleValue() < 10_000);
            assertThat(((Number) member(get(console, "api/cluster"), "n2").get("deliveredTotal")).longValue()).isZero();
        }
    }
}
