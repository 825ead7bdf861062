package dev.tutti.grid.bridges.stomp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.tutti.grid.Body;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Producer;
import dev.tutti.grid.Query;
import dev.tutti.grid.Topic;
import dev.tutti.grid.bridges.Site;
import dev.tutti.stomp.StompServer;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients of a STOMP server as producers and consumers of a grid. */
class StompBridgeTest {

    private Site site;
    private StompBridge bridge;
    private StompServer server;

    @BeforeEach
    void open() {
        site = new Site();
        bridge = StompBridge.of(site.grid());
        server = StompServer.on(site.node()).port(0).source("grid", bridge).set("stomp.client-buffer", "64 KiB").start();
    }

    @AfterEach
    void close() {
        server.close();
        bridge.close();
        site.close();
    }

    private void awaitConsumers(int count) {
        Await.until("the consumers are registered", () -> site.grid().find(Query.CONSUMERS).items().size() == count);
    }

    @Test
    void clientsAreProducers() throws IOException {
        try (StompClient client = new StompClient(server.port())) {
            client.send("SEND", "21.5", "destination:/grid/topic/rooms/1/heat", "unit:Cel", "tag-zone:a", "time:2026-11-28T10:15:30Z", "producer:room1", "receipt:r");
            client.next("RECEIPT");
            Measurement heat = site.await("rooms/1/heat");
            assertThat(heat.body()).isEqualTo(Body.of(21.5, "Cel"));
            assertThat(heat.tags()).isEqualTo(Map.of("zone", "a"));
            assertThat(heat.time()).isEqualTo(Instant.parse("2026-11-28T10:15:30Z"));
            client.send("SEND", "open", "destination:/grid/topic/rooms/1/door");
            assertThat(site.await("rooms/1/door").body()).isEqualTo(Body.of("open"));
            client.send("SEND", "7", "destination:/grid/topic/rooms/1/label", "body:text");
            assertThat(site.await("rooms/1/label").body()).isEqualTo(Body.of("7"));
            client.send("SEND", "7", "destination:/grid/topic/rooms/1/raw", "content-type:application/octet-stream");
            assertThat(site.await("rooms/1/raw").body()).isEqualTo(Body.of(new byte[] {'7'}));
            assertThat(site.grid().find(Query.PRODUCERS.on("rooms/1/heat")).items()).singleElement()
                    .satisfies(entry -> assertThat(entry.name()).isEqualTo("room1"));
            // A measurement is counted after it is published, and the last ones had no receipt.
            Await.until("all are counted", () -> bridge.status().get("published") == 4);
            assertThat(bridge.status()).containsEntry("producers", 4L);
        }
    }

    @Test
    void clientsAreConsumersWithSelectors() throws IOException {
        Producer producer = site.producer();
        try (StompClient client = new StompClient(server.port())) {
            client.send("SUBSCRIBE", "", "id:hot", "destination:/grid/topic/rooms/*/heat", "selector:value > 20 AND zone = 'a'", "receipt:1");
            client.next("RECEIPT");
            client.send("SUBSCRIBE", "", "id:doors", "destination:/grid/topic/doors/**", "receipt:2");
            client.next("RECEIPT");
            producer.publish(Topic.of("rooms/1/heat"), Map.of("zone", "a"), Body.of(19));
            producer.publish(Topic.of("rooms/2/heat"), Map.of("zone", "b"), Body.of(22));
            producer.publish(Topic.of("rooms/3/heat"), Map.of("zone", "a"), Body.of(23.5, "Cel"));
            StompClient.Frame hot = client.next("MESSAGE");
            assertThat(hot.body()).isEqualTo("23.5");
            assertThat(hot.headers()).containsEntry("subscription", "hot").containsEntry("destination", "/grid/topic/rooms/3/heat")
                    .containsEntry("body", "number").containsEntry("unit", "Cel").containsEntry("tag-zone", "a").containsEntry("sequence", "3")
                    .containsKeys("message-id", "producer", "time");
            producer.publish(Topic.of("doors/1/state"), Map.of(), new Body.Values(Map.of("open", Body.of(1), "by", Body.of("key"))));
            StompClient.Frame door = client.next("MESSAGE");
            assertThat(door.body()).isEqualTo("{\"by\":\"key\",\"open\":1.0}");
            assertThat(door.headers()).containsEntry("subscription", "doors").containsEntry("body", "values");
            client.send("UNSUBSCRIBE", "", "id:hot", "receipt:3");
            client.next("RECEIPT");
            awaitConsumers(2);
        }
        // The one that the test has from the beginning.
        awaitConsumers(1);
    }

    @Test
    void mistakesAreExplained() throws IOException {
        assertThat(refusal("SEND", "destination:/grid/rooms/1")).contains("/grid/topic/rooms/1/heat");
        assertThat(refusal("SEND", "destination:/grid/topic/rooms/1", "body:number")).contains("no number");
        assertThat(refusal("SEND", "destination:/grid/topic/rooms/1", "time:yesterday")).contains("header time");
        assertThat(refusal("SEND", "destination:/other/rooms/1")).contains("destinations begin with /topic/, /grid/");
        assertThat(refusal("SUBSCRIBE", "id:1", "destination:/grid/topic/rooms/1", "selector:value >")).contains("selector");
        assertThat(refusal("SUBSCRIBE", "id:1", "destination:/grid/topic/rooms/1", "ack:client")).contains("neither acknowledged nor kept");
        assertThat(server.status()).containsEntry("disconnected.source", 5L);
        awaitConsumers(1);
    }

    private String refusal(String command, String... headers) throws IOException {
        try (StompClient client = new StompClient(server.port())) {
            client.send(command, command.equals("SEND") ? "no number" : "", headers);
            return client.next("ERROR").body();
        }
    }

    /** The source waits for a client that does not read, and the client is told what its queue has dropped. */
    @Test
    void aClientThatDoesNotReadIsToldOfTheGap() throws IOException {
        Producer producer = site.producer();
        int count = 60;
        try (StompClient client = new StompClient(server.port())) {
            client.send("SUBSCRIBE", "", "id:1", "destination:/grid/topic/large", "receipt:1");
            client.next("RECEIPT");
            for (int i = 1; i <= count; i++) {
                producer.publish("large", Body.of("x".repeat(1 << 20)));
            }
            Await.until("some are dropped", () -> site.grid().status().get("undelivered") > 0 || bridge.status().get("delivered") == count);
            long got = 0;
            long missing = 0;
            while (got + missing < count) {
                StompClient.Frame next = client.next("MESSAGE");
                String gap = next.headers().get("gap");
                got += gap == null ? 1 : 0;
                missing += gap == null ? 0 : Long.parseLong(gap);
            }
            assertThat(missing).isPositive();
            assertThat(got + missing).isEqualTo(count);
            assertThat(bridge.status().get("missing")).isEqualTo(missing);
        }
    }

    @Test
    void producersAreBoundedAndThoseThatSendNothingAreWithdrawn() {
        AtomicLong nanos = new AtomicLong();
        try (StompBridge small = new StompBridge(site.grid(), 2, nanos::get)) {
            small.send("/g/topic/a", Map.of(), new byte[] {'1'});
            small.send("/g/topic/b", Map.of(), new byte[] {'1'});
            small.send("/g/topic/a", Map.of(), new byte[] {'2'});
            assertThatIllegalStateException().isThrownBy(() -> small.send("/g/topic/c", Map.of(), new byte[] {'1'})).withMessageContaining("2 producers");
            nanos.set(Duration.ofMinutes(11).toNanos());
            small.forget();
            assertThat(small.status()).containsEntry("producers", 0L).containsEntry("published", 3L);
            site.awaitNoProducer("a");
            assertThatIllegalArgumentException().isThrownBy(() -> small.send("/g/topic/*", Map.of(), new byte[0])).withMessageContaining("wildcard");
            assertThat(small.status()).containsEntry("producers", 0L);
        }
    }
}
