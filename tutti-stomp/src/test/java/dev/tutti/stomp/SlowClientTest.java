package dev.tutti.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.testing.Await;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client that does not read is disconnected, and nobody else waits for it. */
class SlowClientTest {

    private final Cluster cluster = new Cluster();

    @AfterEach
    void stop() {
        cluster.close();
    }

    @Test
    void isDisconnectedWhileOthersAreServed() throws Exception {
        StompServer server = cluster.start(builder -> builder.set("stomp.client-buffer", "256 KiB"));
        StompServer other = cluster.start();
        byte[] body = new byte[10_000];
        try (Client slow = Client.openNarrow(server.port());
                Client quick = Client.connect(server.port())) {
            slow.send("CONNECT\naccept-version:1.2\nhost:a\n\n");
            slow.expect("CONNECTED");
            slow.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/a");
            quick.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/a");
            int count = 0;
            while (server.status().get("disconnected.slow") == 0 && count < 5_000) {
                // Its receipt shows that the group has not waited for the slow client.
                other.publish("/topic/a", Map.of(), body).get(20, TimeUnit.SECONDS);
                quick.expect("MESSAGE");
                assertThat(server.status().get("held-bytes")).isLessThan(512 * 1024);
                count++;
            }
            assertThat(server.status()).containsEntry("disconnected.slow", 1L);
            // The reason is counted before the connection's thread has ended the subscription.
            Await.until("its subscription is gone", () -> server.status().get("subscriptions") == 1);
            assertThat(slow.await("ERROR").header("message")).contains("too slow");
            assertThat(slow.isClosed()).isTrue();
        }
    }

    @Test
    void isClosedEvenIfItNeverReadsWhy() throws Exception {
        StompServer server = cluster.start(
                builder -> builder.set("stomp.client-buffer", "64 KiB").set("stomp.close-timeout", "200 ms"));
        byte[] body = new byte[60_000];
        try (Client slow = Client.openNarrow(server.port())) {
            slow.send("CONNECT\naccept-version:1.2\nhost:a\n\n");
            slow.expect("CONNECTED");
            slow.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/a");
            for (int count = 0; count < 5_000 && server.status().get("disconnected.slow") == 0; count++) {
                server.publish("/topic/a", Map.of(), body).get(20, TimeUnit.SECONDS);
            }
            Await.until("it is gone", () -> server.status().get("clients") == 0);
            assertThat(server.status()).containsEntry("held-bytes", 0L);
        }
    }

    @Test
    void getsWhatItHasMissedPieceByPieceWhenItResumes() throws Exception {
        StompServer server = cluster.start(
                builder -> builder.set("stomp.client-buffer", "64 KiB").set("stomp.history", "16 MiB"));
        try (Client client = Client.connect(server.port())) {
            String first = receiveOne(server, client);
            for (int number = 0; number < 1_000; number++) {
                server.publish("/topic/a", Map.of("number", "" + number), new byte[10_000]).get(20, TimeUnit.SECONDS);
            }
            client.send("SUBSCRIBE\nid:a\ndestination:/topic/a\nresume:" + first + "\n\n");
            for (int number = 0; number < 1_000; number++) {
                assertThat(client.expect("MESSAGE").header("number")).isEqualTo("" + number);
            }
        }
        assertThat(server.status()).containsEntry("disconnected.slow", 0L);
    }

    @Test
    void getsWhatItHasMissedNoFasterThanItReads() throws Exception {
        StompServer server = cluster.start(
                builder -> builder.set("stomp.client-buffer", "64 KiB").set("stomp.history", "16 MiB"));
        try (Client first = Client.connect(server.port());
                Client slow = Client.openNarrow(server.port())) {
            String id = receiveOne(server, first);
            // More than a socket takes; the smaller ones fit into the buffer together, the larger wait until it is
            // empty.
            for (int number = 0; number < 250; number++) {
                byte[] body = new byte[number % 2 == 0 ? 60_000 : 5_000];
                server.publish("/topic/a", Map.of("number", "" + number), body).get(20, TimeUnit.SECONDS);
            }
            slow.send("CONNECT\naccept-version:1.2\nhost:a\n\n");
            slow.expect("CONNECTED");
            slow.send("SUBSCRIBE\nid:a\ndestination:/topic/a\nresume:" + id + "\n\n");
            slow.send("SUBSCRIBE\nid:b\ndestination:/topic/a\nresume:" + id + "\n\n");
            Await.until("it waits for the client", () -> server.status().get("held-bytes") > 4 * 1024);
            assertThat(server.status()).containsEntry("disconnected.slow", 0L);
            Map<String, Integer> next = new HashMap<>(Map.of("a", 0, "b", 0));
            for (int count = 0; count < 500; count++) {
                Client.Reply message = slow.expect("MESSAGE");
                String subscription = message.header("subscription");
                assertThat(message.header("number")).isEqualTo("" + next.get(subscription));
                next.merge(subscription, 1, Integer::sum);
            }
            assertThat(next).isEqualTo(Map.of("a", 250, "b", 250));
        }
        assertThat(server.status()).containsEntry("disconnected.slow", 0L);
    }

    @Test
    void getsWhatItHasMissedNoFasterThanItAcknowledges() throws Exception {
        StompServer server = cluster.start(builder -> builder.set("stomp.unacked-max", "10"));
        try (Client client = Client.connect(server.port())) {
            String first = receiveOne(server, client);
            for (int number = 0; number < 100; number++) {
                server.publish("/topic/a", Map.of("number", "" + number), new byte[1]).get(20, TimeUnit.SECONDS);
            }
            client.send("SUBSCRIBE\nid:a\ndestination:/topic/a\nack:client-individual\nresume:" + first + "\n\n");
            for (int number = 0; number < 100; number++) {
                Client.Reply message = client.expect("MESSAGE");
                assertThat(message.header("number")).isEqualTo("" + number);
                client.send("ACK\nid:" + message.header("ack") + "\n\n");
            }
            client.sendAndWait("UNSUBSCRIBE", "id:a");
        }
        assertThat(server.status()).containsEntry("disconnected.unacked", 0L).containsEntry("acked", 100L);
    }

    @Test
    void getsWhatItMayAcknowledgeThoughNothingElseIsWritten() throws Exception {
        StompServer server = cluster.start(builder -> builder
                .set("stomp.client-buffer", "64 KiB")
                .set("stomp.unacked-max", "10")
                .set("stomp.history", "64 MiB"));
        try (Client first = Client.connect(server.port());
                Client slow = Client.openNarrow(server.port())) {
            String id = receiveOne(server, first);
            // The first is more than a socket takes: the others follow when it has been read.
            for (int number = 0; number < 6; number++) {
                byte[] body = new byte[number == 0 ? 15_000_000 : 1];
                server.publish("/topic/a", Map.of("number", "" + number), body).get(20, TimeUnit.SECONDS);
            }
            slow.send("CONNECT\naccept-version:1.2\nhost:a\n\n");
            slow.expect("CONNECTED");
            slow.send("SUBSCRIBE\nid:a\ndestination:/topic/a\nack:client-individual\nresume:" + id + "\n\n");
            // Half of the limit without ACK; none is sent before all five are there.
            for (int number = 0; number < 5; number++) {
                assertThat(slow.expect("MESSAGE").header("number")).isEqualTo("" + number);
            }
        }
    }

    /** Receives one message, and unsubscribes. Returns its id. */
    private static String receiveOne(StompServer server, Client client) throws Exception {
        client.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/a");
        server.publish("/topic/a", Map.of(), new byte[1]).get(20, TimeUnit.SECONDS);
        String id = client.expect("MESSAGE").header("message-id");
        client.sendAndWait("UNSUBSCRIBE", "id:a");
        return id;
    }
}
