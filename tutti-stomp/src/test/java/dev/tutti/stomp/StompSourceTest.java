package dev.tutti.stomp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tutti.Subscription;
import dev.tutti.core.settings.SettingException;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Destinations that belong to a source, and to no group. */
class StompSourceTest {

    /** A source that remembers what it was given. */
    private static final class Recorder implements StompSource {

        private final ConcurrentLinkedQueue<String> sent = new ConcurrentLinkedQueue<>();
        private final List<Receiver> receivers = new CopyOnWriteArrayList<>();
        private final List<Map<String, String>> subscribed = new CopyOnWriteArrayList<>();
        private final AtomicInteger ended = new AtomicInteger();

        @Override
        public void send(String destination, Map<String, String> headers, byte[] body) {
            switch (destination) {
                case "/own/wrong" -> throw new IllegalArgumentException("nobody wants this");
                case "/own/broken" -> throw new ArithmeticException("a mistake");
                default -> sent.add(destination + " " + headers + " " + new String(body, StandardCharsets.UTF_8));
            }
        }

        @Override
        public Subscription subscribe(String destination, Map<String, String> headers, Receiver receiver) {
            if (destination.equals("/own/nothing")) {
                throw new IllegalArgumentException("there is nothing");
            }
            subscribed.add(headers);
            receivers.add(receiver);
            return ended::incrementAndGet;
        }
    }

    private final Recorder source = new Recorder();
    private final Cluster cluster = new Cluster();
    private StompServer server;

    @BeforeEach
    void open() {
        server = cluster.start(builder -> builder.source("own", source).set("stomp.client-buffer", "64 KiB"));
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private String refusal(String frame) throws IOException {
        try (Client client = Client.connect(server.port())) {
            client.send(frame);
            return client.expect("ERROR").body();
        }
    }

    @Test
    void getsWhatClientsSendAndGivesThemWhatItHas() throws IOException {
        try (Client client = Client.connect(server.port())) {
            client.send("SEND\ndestination:/own/a\nkind:x\nreceipt:1\n\nhello");
            assertThat(client.expect("RECEIPT").header("receipt-id")).isEqualTo("1");
            assertThat(source.sent).containsExactly("/own/a {kind=x} hello");
            client.sendAndWait("SUBSCRIBE", "id:s", "destination:/own/*", "selector:a > 1");
            assertThat(source.subscribed).containsExactly(Map.of("selector", "a > 1"));
            source.receivers.getFirst().onMessage("/own/b", Map.of("kind", "y"), "one".getBytes(StandardCharsets.UTF_8));
            Client.Reply message = client.expect("MESSAGE");
            assertThat(message.body()).isEqualTo("one");
            assertThat(message.headers()).containsEntry("subscription", "s").containsEntry("destination", "/own/b").containsEntry("kind", "y");
            // A subscription to groups gets nothing of it, and the groups go on.
            client.sendAndWait("SUBSCRIBE", "id:g", "destination:/**");
            client.send("SEND\ndestination:/own/c\n\nsecond");
            client.send("SEND\ndestination:/topic/c\n\nthird");
            assertThat(client.expect("MESSAGE").body()).isEqualTo("third");
            client.sendAndWait("UNSUBSCRIBE", "id:s");
            Await.until("the source is told", () -> source.ended.get() == 1);
        }
    }

    @Test
    void itsRefusalsAreErrors() throws IOException {
        assertThat(refusal("SEND\ndestination:/own/wrong\n\n")).contains("/own/wrong: nobody wants this");
        assertThat(refusal("SEND\ndestination:/own/broken\n\n")).contains("a mistake");
        assertThat(refusal("SUBSCRIBE\nid:1\ndestination:/own/nothing\n\n")).contains("there is nothing");
        assertThat(refusal("SUBSCRIBE\nid:1\ndestination:/own/a\nack:client\n\n")).contains("neither acknowledged nor kept");
        assertThat(refusal("SUBSCRIBE\nid:1\ndestination:/own/a\nresume:x-1\n\n")).contains("neither acknowledged nor kept");
        assertThat(refusal("BEGIN\ntransaction:t\n\n\0SEND\ndestination:/own/a\ntransaction:t\n\n")).contains("transaction");
        assertThat(server.status()).containsEntry("disconnected.source", 6L).containsEntry("subscriptions", 0L);
        assertThat(source.sent).isEmpty();
    }

    @Test
    void waitsForAClientThatDoesNotReadUntilItGoes() throws IOException {
        AtomicInteger passed = new AtomicInteger();
        Thread teller;
        try (Client client = Client.openNarrow(server.port())) {
            client.send("CONNECT\naccept-version:1.2\nhost:test\n\n");
            client.expect("CONNECTED");
            client.sendAndWait("SUBSCRIBE", "id:s", "destination:/own/a");
            byte[] large = new byte[20 << 10];
            teller = Thread.ofVirtual().start(() -> {
                while (source.ended.get() == 0) {
                    source.receivers.getFirst().onMessage("/own/a", Map.of(), large);
                    passed.incrementAndGet();
                }
            });
            Await.until("messages wait", () -> teller.getState() == Thread.State.WAITING && server.status().get("held-bytes") > 16 * large.length);
            assertThat(server.status()).containsEntry("disconnected.slow", 0L);
            // It reads again, and the source goes on.
            int before = passed.get();
            while (passed.get() == before) {
                client.expect("MESSAGE");
            }
        }
        Await.until("the source is told that the client has gone", () -> source.ended.get() == 1 && !teller.isAlive());
        Await.until("the subscription is gone", () -> server.status().get("subscriptions") == 0 && server.status().get("held-bytes") == 0);
        assertThat(server.status()).containsEntry("disconnected.slow", 0L);
    }

    @Test
    void hasANameOfItsOwn() {
        for (String name : List.of("topic", "info", "a/b", "*")) {
            assertThatExceptionOfType(SettingException.class)
                    .isThrownBy(() -> StompServer.on(cluster.node(0)).port(0).groups("topic").source(name, source).start())
                    .withMessageContaining("stomp.groups: ");
        }
    }
}
