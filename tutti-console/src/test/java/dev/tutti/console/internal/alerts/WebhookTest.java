package dev.tutti.console.internal.alerts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.tutti.internal.Json;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Alerts that are posted to a server of the test's own. */
@Timeout(60)
class WebhookTest {

    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private final List<String> authorizations = new CopyOnWriteArrayList<>();
    private final AtomicInteger status = new AtomicInteger(204);
    private final CountDownLatch gate = new CountDownLatch(1);
    private HttpServer server;
    private URI address;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            if (exchange.getRequestURI().getPath().equals("/slow")) {
                try {
                    gate.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            exchange.sendResponseHeaders(status.get(), -1);
            exchange.close();
        });
        server.start();
        address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/alerts");
    }

    @AfterEach
    void stop() {
        gate.countDown();
        server.stop(0);
    }

    @Test
    void documentsArriveInOrderWithTheToken() {
        try (Webhook webhook = new Webhook(address, "secret", TimeUnit.SECONDS.toNanos(30), 10)) {
            webhook.post(Map.of("text", "one"));
            webhook.post(Map.of("text", "two"));
            Await.until(() -> "two were sent, not " + webhook.sent(), () -> webhook.sent() == 2);
        }
        assertThat(bodies.stream().map(body -> String.valueOf(((Map<?, ?>) Json.parse(body)).get("text"))).toList()).containsExactly("one", "two");
        assertThat(authorizations).containsOnly("Bearer secret");
    }

    @Test
    void whatIsNotTakenIsSentAgain() {
        status.set(503);
        try (Webhook webhook = new Webhook(address, "", TimeUnit.SECONDS.toNanos(30), 10)) {
            webhook.post(Map.of("text", "one"));
            Await.until(() -> "it is sent again", () -> webhook.retries() >= 2);
            assertThat(webhook.sent()).isZero();
            status.set(200);
            Await.until(() -> "it is taken", () -> webhook.sent() == 1);
            assertThat(webhook.failed()).isZero();
        }
        assertThat(authorizations).containsOnly("null");
    }

    @Test
    void afterItsTimeItIsDroppedAndCounted() {
        server.stop(0);
        try (Webhook webhook = new Webhook(address, "", TimeUnit.MILLISECONDS.toNanos(1_000), 10)) {
            webhook.post(Map.of("text", "one"));
            Await.until(() -> "it has failed", () -> webhook.failed() == 1);
            assertThat(webhook.sent()).isZero();
            assertThat(webhook.retries()).isPositive();
        }
    }

    @Test
    void aRefusalIsFinal() {
        status.set(404);
        try (Webhook webhook = new Webhook(address, "", TimeUnit.SECONDS.toNanos(30), 10)) {
            webhook.post(Map.of("text", "one"));
            Await.until(() -> "it has failed", () -> webhook.failed() == 1);
            assertThat(webhook.retries()).isZero();
        }
    }

    @Test
    void redirectionsAreNotFollowed() {
        status.set(302);
        try (Webhook webhook = new Webhook(address, "secret", TimeUnit.SECONDS.toNanos(30), 10)) {
            webhook.post(Map.of("text", "one"));
            Await.until(() -> "it has failed", () -> webhook.failed() == 1);
        }
        assertThat(bodies).hasSize(1);
    }

    @Test
    void theQueueIsBounded() {
        try (Webhook webhook = new Webhook(address.resolve("/slow"), "", TimeUnit.SECONDS.toNanos(30), 10)) {
            for (int each = 0; each < Webhook.WAITING_MAX + 10; each++) {
                webhook.post(Map.of("number", each));
            }
            assertThat(webhook.dropped()).isBetween(9L, 10L);
        }
    }

    @Test
    void addressesThatGiveTheTokenAwayAreRefused() {
        assertThat(Webhook.address("https://alerts.example/x", true).getHost()).isEqualTo("alerts.example");
        assertThat(Webhook.address("http://127.0.0.1:9/x", true).getPort()).isEqualTo(9);
        assertThatThrownBy(() -> Webhook.address("http://alerts.example/x", true)).hasMessageContaining("https only");
        assertThatThrownBy(() -> Webhook.address("ftp://alerts.example/x", false)).hasMessageContaining("https://host/path");
        assertThatThrownBy(() -> Webhook.address("nonsense", false)).hasMessageContaining("https://host/path");
        assertThatThrownBy(() -> Webhook.address("https://alerts.example/a secret", false))
                .hasMessageContaining("can't be read").hasMessageNotContaining("secret");
    }
}
