package dev.tutti.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.stomp.Client.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three members in one process; one leaves, and its clients reconnect elsewhere. */
class FailoverTest {

    private Cluster cluster;

    @BeforeEach
    void start() {
        cluster = new Cluster();
        cluster.start();
        cluster.start();
        cluster.start();
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private static Reply awaitInfo(Client client, int others) throws IOException {
        Reply info = client.await("MESSAGE");
        while (!info.header("destination").equals("/info") || endpoints(info).size() != 2 * others) {
            info = client.await("MESSAGE");
        }
        return info;
    }

    private static Set<String> endpoints(Reply info) {
        Set<String> endpoints = new LinkedHashSet<>(List.of(info.header("endpoints").replace("\\c", ":").split(",")));
        endpoints.remove("");
        return endpoints;
    }

    @Test
    void tellsWhereTheOthersAreAndWhenThatChanges() throws Exception {
        try (Client client = Client.connect(cluster.server(0).port())) {
            client.send("SUBSCRIBE\nid:info\ndestination:/info\n\n");
            Reply info = awaitInfo(client, 2);
            Set<String> expected = new LinkedHashSet<>(cluster.server(1).endpoints());
            expected.addAll(cluster.server(2).endpoints());
            assertThat(endpoints(info)).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(info.body()).contains("\"name\":\"m1\"").contains("\"self\":true");

            try (Client second = Client.open(cluster.server(0).port())) {
                second.send("CONNECT\naccept-version:1.2\nhost:a\n\n");
                assertThat(second.expect("CONNECTED").header("endpoints").split(","))
                        .containsExactlyInAnyOrderElementsOf(expected);
            }

            cluster.node(2).close();
            assertThat(endpoints(awaitInfo(client, 1))).containsExactlyInAnyOrderElementsOf(cluster.server(1).endpoints());
            StompServer fourth = cluster.start();
            assertThat(endpoints(awaitInfo(client, 2))).containsAll(fourth.endpoints());
        }
    }

    @Test
    void deliversToClientsOfAllMembers() throws Exception {
        try (Client first = Client.connect(cluster.server(0).port());
                Client second = Client.connect(cluster.server(1).port());
                Client third = Client.connect(cluster.server(2).port())) {
            List<String> ids = new ArrayList<>();
            for (Client each : List.of(first, second, third)) {
                each.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/all");
            }
            second.send("SEND\ndestination:/topic/all\n\nhello");
            for (Client each : List.of(first, second, third)) {
                Reply message = each.expect("MESSAGE");
                assertThat(message.body()).isEqualTo("hello");
                ids.add(message.header("message-id"));
            }
            assertThat(new LinkedHashSet<>(ids)).hasSize(1);
        }
    }

    @Test
    void tellsClientsToGoElsewhereWhenTheGroupIsLost() throws Exception {
        try (Client client = Client.connect(cluster.server(1).port())) {
            cluster.node(1).close();
            Reply error = client.await("ERROR");
            assertThat(error.header("message")).contains("lost");
            assertThat(client.isClosed()).isTrue();
        }
    }

    /**
     * Two subscribers and two senders; the member of one of each is closed in the middle. Both reconnect to another
     * member, the subscriber from the last message of each origin that it has seen, the sender with the messages that
     * have no receipt yet. Each subscriber gets everything that has a receipt.
     */
    @Test
    void losesNothingThatHasAReceiptWhenAMemberGoes() throws Exception {
        int count = 300;
        try (Client staying = Client.connect(cluster.server(0).port());
                Client leaving = Client.connect(cluster.server(1).port());
                Client sender = Client.connect(cluster.server(1).port());
                Client control = Client.connect(cluster.server(2).port())) {
            staying.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/all");
            leaving.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/all");
            Set<String> promised = new LinkedHashSet<>();
            Set<String> seen = new LinkedHashSet<>();
            Map<String, String> lastByOrigin = new LinkedHashMap<>();
            for (int number = 0; number < count; number++) {
                sender.send("SEND\ndestination:/topic/all\nreceipt:" + number + "\n\ns" + number);
                control.send("SEND\ndestination:/topic/all\nreceipt:" + number + "\n\nc" + number);
            }
            // After some receipts and some messages, the member is gone.
            for (int number = 0; number < count / 3; number++) {
                promised.add("s" + sender.expect("RECEIPT").header("receipt-id"));
                note(leaving.expect("MESSAGE"), seen, lastByOrigin);
            }
            cluster.node(1).close();
            try {
                while (true) {
                    promised.add("s" + sender.await("RECEIPT").header("receipt-id"));
                }
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("closed");
            }
            for (int number = 0; number < count; number++) {
                promised.add("c" + control.expect("RECEIPT").header("receipt-id"));
            }
            assertThat(promised).hasSizeGreaterThan(count);
            try (Client again = Client.connect(cluster.server(2).port())) {
                again.send("SUBSCRIBE\nid:a\ndestination:/topic/all\nresume:" + String.join(",", lastByOrigin.values()) + "\n\n");
                while (!seen.containsAll(promised)) {
                    assertThat(note(again.expect("MESSAGE"), seen, lastByOrigin)).as("twice").isTrue();
                }
            }
            Set<String> all = new LinkedHashSet<>();
            while (!all.containsAll(promised)) {
                note(staying.expect("MESSAGE"), all, new LinkedHashMap<>());
            }
            assertThat(seen).containsAll(promised);
        }
    }

    /** Returns false if it was there before. */
    private static boolean note(Reply message, Set<String> seen, Map<String, String> lastByOrigin) {
        String id = message.header("message-id");
        lastByOrigin.put(id.substring(0, id.lastIndexOf('-')), id);
        return seen.add(message.body());
    }

    @Test
    void waitsForAReceiptUntilAllHaveItOrAreGone() throws Exception {
        try (Client client = Client.connect(cluster.server(0).port())) {
            for (int round = 0; round < 50; round++) {
                client.sendAndWait("SEND", "destination:/topic/held");
                long everywhere = 0;
                for (int member = 0; member < 3; member++) {
                    everywhere += cluster.server(member).status().get("delivered");
                }
                assertThat(everywhere).isEqualTo(3L * (round + 1));
            }
            cluster.node(2).close();
            client.sendAndWait("SEND", "destination:/topic/held");
            cluster.node(1).close();
            client.sendAndWait("SEND", "destination:/topic/held");
        }
        cluster.server(0).publish("/topic/held", Map.of(), new byte[10]).get(20, TimeUnit.SECONDS);
        assertThat(cluster.server(0).status()).containsEntry("receipts-waiting", 0L);
    }
}
