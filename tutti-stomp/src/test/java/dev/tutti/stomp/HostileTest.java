package dev.tutti.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.stomp.Client.Reply;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Hostile clients, and a well-behaved one that is served all the time. */
class HostileTest {

    private static final long SEED = 61_613L;

    private final Cluster cluster = new Cluster();

    @AfterEach
    void stop() {
        cluster.close();
    }

    private static void checkServed(StompServer server) throws IOException {
        try (Client honest = Client.connect(server.port())) {
            honest.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/honest");
            honest.send("SEND\ndestination:/topic/honest\n\nhello");
            assertThat(honest.expect("MESSAGE").body()).isEqualTo("hello");
        }
    }

    private static void awaitNobody(StompServer server) throws InterruptedException {
        Await.until("everything is given back", () -> server.status().get("clients") == 0
                && server.status().get("held-bytes") == 0
                && server.status().get("subscriptions") == 0
                && server.status().get("backlog-bytes") == 0);
    }

    @Test
    void refusesGarbageOfEveryKind() throws Exception {
        StompServer server = cluster.start();
        Random random = new Random(SEED);
        byte[] valid = ("SUBSCRIBE\nid:a\ndestination:/topic/x\n\n\0SEND\ndestination:/topic/x\ncontent-length:3\n\nabc\0"
                        + "BEGIN\ntransaction:t\n\n\0SEND\ndestination:/topic/x\ntransaction:t\n\nabc\0COMMIT\ntransaction:t\n\n\0")
                .getBytes(StandardCharsets.UTF_8);
        for (int round = 0; round < 300; round++) {
            byte[] bytes = valid.clone();
            for (int change = 0; change < 1 + round % 5; change++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            try (Client client = round % 3 == 0 ? Client.open(server.port()) : Client.connect(server.port())) {
                client.sendRaw(bytes);
            }
        }
        checkServed(server);
        awaitNobody(server);
        assertThat(server.status().get("disconnected.malformed")).isGreaterThan(50);
    }

    @Test
    void boundsHeadersAndBodies() throws Exception {
        StompServer server = cluster.start(builder -> builder.set("stomp.body-max", "64 KiB"));
        List<String> bombs = List.of(
                "SEND\n" + "a:b\n".repeat(1_000),
                "SEND\na:" + "b".repeat(100_000),
                "SEND\n" + ("a:" + "b".repeat(3_000) + "\n").repeat(20),
                "SEND\ndestination:/topic/a\ncontent-length:2000000000\n\n",
                "SEND\ndestination:/topic/a\n\n" + "x".repeat(70_000));
        for (String bomb : bombs) {
            try (Client client = Client.connect(server.port())) {
                client.sendRaw(bomb.getBytes(StandardCharsets.UTF_8));
                assertThat(client.expect("ERROR").header("message")).contains("stomp.");
                assertThat(client.isClosed()).isTrue();
            }
        }
        assertThat(server.status()).containsEntry("disconnected.head-too-large", 3L);
        assertThat(server.status()).containsEntry("disconnected.body-too-large", 2L);
        checkServed(server);
        awaitNobody(server);
    }

    @Test
    void givesUpOnWhoNeverFinishes() throws Exception {
        StompServer server = cluster.start(
                builder -> builder.set("stomp.connect-timeout", "300 ms").set("stomp.frame-timeout", "300 ms"));
        List<Client> slow = new ArrayList<>();
        for (int index = 0; index < 50; index++) {
            Client client = index % 2 == 0 ? Client.open(server.port()) : Client.connect(server.port());
            slow.add(client);
            client.sendRaw((index % 2 == 0 ? "CONNECT\n" : "SEND\ndestination:/topic/a\n\nhalf").getBytes(StandardCharsets.UTF_8));
        }
        checkServed(server);
        for (Client client : slow) {
            assertThat(client.expect("ERROR").header("message")).contains("timeout");
            assertThat(client.isClosed()).isTrue();
            client.close();
        }
        assertThat(server.status()).containsEntry("disconnected.timeout", 50L);
        awaitNobody(server);
    }

    @Test
    void givesUpOnWhoDoesNotLogIn() throws Exception {
        StompServer server = cluster.start(
                builder -> builder.set("stomp.connect-timeout", "300 ms").set("stomp.frame-timeout", "1 min"));
        try (Client silent = Client.open(server.port());
                Client half = Client.open(server.port())) {
            half.sendRaw("CONNECT\n".getBytes(StandardCharsets.UTF_8));
            assertThat(half.expect("ERROR").header("message")).contains("stomp.connect-timeout");
            assertThat(silent.expect("ERROR").header("message")).contains("stomp.connect-timeout");
            assertThat(silent.isClosed()).isTrue();
        }
        awaitNobody(server);
    }

    @Test
    void disconnectsTheLargestWhenAllTogetherHoldTooMuch() throws Exception {
        StompServer server = cluster.start(builder -> builder.set("stomp.memory", "1 MiB"));
        byte[] half = ("SEND\ndestination:/topic/a\n\n" + "x".repeat(200_000)).getBytes(StandardCharsets.UTF_8);
        List<Client> greedy = new ArrayList<>();
        for (int index = 0; index < 20; index++) {
            Client client = Client.connect(server.port());
            greedy.add(client);
            client.sendRaw(half);
            checkServed(server);
            assertThat(server.status().get("held-bytes")).isLessThanOrEqualTo(2L << 20);
        }
        Await.until("some are disconnected", () -> server.status().get("disconnected.memory") > 5);
        for (Client client : greedy) {
            client.close();
        }
        awaitNobody(server);
    }

    @Test
    void boundsWhatOneClientMayHave() throws Exception {
        StompServer server = cluster.start(builder -> builder.set("stomp.subscriptions-max", "3")
                .set("stomp.transactions-max", "2")
                .set("stomp.transaction-max", "1 KiB")
                .set("stomp.unacked-max", "4"));
        try (Client client = Client.connect(server.port())) {
            for (int id = 0; id < 4; id++) {
                client.send("SUBSCRIBE\nid:" + id + "\ndestination:/topic/a\n\n");
            }
            assertThat(client.expect("ERROR").header("message")).contains("stomp.subscriptions-max");
        }
        try (Client client = Client.connect(server.port())) {
            for (int id = 0; id < 3; id++) {
                client.send("BEGIN\ntransaction:" + id + "\n\n");
            }
            assertThat(client.expect("ERROR").header("message")).contains("stomp.transactions-max");
        }
        try (Client client = Client.connect(server.port())) {
            client.send("BEGIN\ntransaction:1\n\n");
            client.send("SEND\ndestination:/topic/a\ntransaction:1\n\n" + "x".repeat(1_000));
            assertThat(client.expect("ERROR").header("message")).contains("stomp.transaction-max");
        }
        try (Client client = Client.connect(server.port())) {
            client.sendAndWait("SUBSCRIBE", "id:1", "destination:/topic/a", "ack:client");
            for (int number = 0; number < 5; number++) {
                client.send("SEND\ndestination:/topic/a\n\nx");
            }
            assertThat(client.await("ERROR").header("message")).contains("stomp.unacked-max");
        }
        checkServed(server);
        awaitNobody(server);
    }

    private static Reply logIn(StompServer server, String login, String passcode) throws IOException {
        try (Client client = Client.open(server.port())) {
            client.send("CONNECT\naccept-version:1.2\nlogin:" + login + "\npasscode:" + passcode + "\n\n");
            return client.read();
        }
    }

    @Test
    void guessesAreLookedAtLaterAndLaterAndTheRightOneGetsIn() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        StompServer server = cluster.start(builder -> builder.set("stomp.connect-timeout", "2 s").authenticator(login -> {
            looks.incrementAndGet();
            return login.passcode().equals("right") ? Access.ALL : null;
        }));
        long beginNanos = System.nanoTime();
        for (int guess = 0; guess < 6; guess++) {
            assertThat(logIn(server, "ann", "guess" + guess).header("message")).contains("refused");
        }
        // 250 ms, 500 ms, then half of the connect-timeout. The other half is for a busy machine.
        assertThat(System.nanoTime() - beginNanos).isGreaterThan(1_700_000_000L);
        assertThat(server.status()).containsEntry("logins-delayed", 3L);
        assertThat(logIn(server, "ann", "right").command()).isEqualTo("CONNECTED");
        // Only a few wait at a time; those that hang up meanwhile are not checked.
        int before = looks.get();
        List<Client> guessers = new ArrayList<>();
        for (int guess = 0; guess < 60; guess++) {
            Client client = Client.open(server.port());
            guessers.add(client);
            client.send("CONNECT\naccept-version:1.2\nlogin:bob\npasscode:" + guess + "\n\n");
        }
        for (Client client : guessers) {
            assertThat(client.expect("ERROR").header("message")).containsAnyOf("refused", "too many log-ins");
            client.close();
        }
        assertThat(looks.get() - before).isEqualTo(16);
        assertThat(logIn(server, "bob", "right").command()).isEqualTo("CONNECTED");
        awaitNobody(server);
    }

    @Test
    void tellsOtherMembersToThoseWhoHaveLoggedInAlone() throws Exception {
        Authenticator judge = login -> login.passcode().equals("right") ? Access.ALL : null;
        StompServer first = cluster.start(builder -> builder.authenticator(judge));
        StompServer second = cluster.start(builder -> builder.authenticator(judge));
        Await.until("endpoints are known", () -> {
            try {
                return logIn(first, "ann", "right").header("endpoints").contains(":" + second.port());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(logIn(first, "ann", "wrong").headers()).containsKey("message").doesNotContainKey("endpoints");
        try (Client client = Client.open(first.port())) {
            client.send("SUBSCRIBE\nid:a\ndestination:/info\n\n");
            assertThat(client.expect("ERROR").headers()).doesNotContainKey("endpoints");
        }
        try (Client client = Client.open(first.port())) {
            client.send("CONNECT\naccept-version:1.2\nlogin:ann\npasscode:right\n\n");
            client.expect("CONNECTED");
            client.send("NONSENSE\n\n");
            assertThat(client.expect("ERROR").header("endpoints")).contains("" + second.port());
        }
    }

    @Test
    void oneAddressThatDoesNotLogInTakesNoMoreThanItsPart() throws Exception {
        StompServer server = cluster.start(builder -> builder.set("stomp.strangers-max", "5"));
        List<Client> idle = new ArrayList<>();
        for (int index = 0; index < 20; index++) {
            idle.add(Client.open(server.port()));
        }
        checkServed(server);
        Await.until("the oldest had to go", () -> server.status().get("disconnected.clients") >= 15);
        for (Client client : idle) {
            client.close();
        }
        awaitNobody(server);
    }

    @Test
    void makesRoomForNewClientsByThoseThatDoNotLogIn() throws Exception {
        StompServer server = cluster.start(builder -> builder.set("stomp.clients-max", "10").set("stomp.threads", "1"));
        List<Client> idle = new ArrayList<>();
        for (int index = 0; index < 30; index++) {
            idle.add(Client.open(server.port()));
        }
        checkServed(server);
        List<Client> loggedIn = new ArrayList<>();
        for (int index = 0; index < 10; index++) {
            loggedIn.add(Client.connect(server.port()));
        }
        try (Client late = Client.open(server.port())) {
            Reply error = late.expect("ERROR");
            assertThat(error.header("message")).contains("full");
        }
        assertThat(server.status().get("disconnected.clients")).isGreaterThanOrEqualTo(21);
        for (Client client : loggedIn) {
            client.sendAndWait("SEND", "destination:/topic/a");
            client.close();
        }
        for (Client client : idle) {
            client.close();
        }
        awaitNobody(server);
    }
}
