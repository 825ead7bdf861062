package dev.tutti.stomp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tutti.stomp.client.FakeServer.Peer;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client and servers that do what the test says. */
class StompClientTest {

    private FakeServer server;
    private FakeServer other;
    private StompClient client;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
        other = new FakeServer();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        other.close();
        if (client != null) {
            client.close();
        }
    }

    private Peer open(UnaryOperator<StompClientBuilder> with, String endpoints) throws Exception {
        CompletableFuture<StompClient> opened = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                opened.complete(with.apply(StompClient.of(server.url())).open());
            } catch (StompException | InterruptedException e) {
                opened.completeExceptionally(e);
            }
        });
        Peer peer = server.admit(endpoints);
        client = opened.get(30, TimeUnit.SECONDS);
        return peer;
    }

    private Peer open() throws Exception {
        return open(builder -> builder, "");
    }

    private static void awaitFailure(CompletableFuture<Void> receipt, String reason) {
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> receipt.orTimeout(30, TimeUnit.SECONDS).join())
                .withCauseInstanceOf(StompException.class)
                .withMessageContaining(reason);
    }

    @Test
    void sendsAgainAtAnotherServerWhatHasNoReceipt() throws Exception {
        Peer peer = open(builder -> builder, other.url().toString());
        CompletableFuture<Void> first = client.send("/topic/a", "one");
        CompletableFuture<Void> second = client.send("/topic/a", Map.of("key", "a:b\nc\\d"), new byte[] {1, 0, 2});
        peer.receipt(peer.expect("SEND"));
        first.get(30, TimeUnit.SECONDS);
        Frame frame = peer.expect("SEND");
        assertThat(frame.headers()).containsEntry("key", "a:b\nc\\d").containsEntry("destination", "/topic/a");
        assertThat(frame.body()).containsExactly(1, 0, 2);
        peer.close();
        try (Peer next = other.admit("")) {
            Frame again = next.expect("SEND");
            assertThat(again.body()).containsExactly(1, 0, 2);
            assertThat(second).isNotDone();
            next.receipt(again);
            second.get(30, TimeUnit.SECONDS);
            assertThat(client.server()).isEqualTo(other.url());
            assertThat(client.status()).containsEntry("confirmed", 2L).containsEntry("unconfirmed", 0L).containsEntry("connections", 2L);
        }
    }

    @Test
    void resumesASubscriptionAfterTheLastMessageOfEachOrigin() throws Exception {
        Heard heard = new Heard();
        Peer peer = open(builder -> builder, other.url().toString());
        client.subscribe("/topic/a", Map.of("selector", "x"), heard);
        Frame subscribe = peer.expect("SUBSCRIBE");
        assertThat(subscribe.headers()).containsEntry("selector", "x").doesNotContainKey("resume");
        peer.receipt(subscribe);
        peer.message(subscribe, "a-1", "one");
        peer.message(subscribe, "b-c-7.2", "two");
        peer.message(subscribe, "a-2", "three");
        heard.await(3);
        peer.close();
        try (Peer next = other.admit("")) {
            Frame again = next.expect("SUBSCRIBE");
            assertThat(again.header("resume").split(",")).containsExactlyInAnyOrder("a-2", "b-c-7.2");
            assertThat(again.headers()).containsEntry("selector", "x");
            next.receipt(again);
            next.message(again, "a-3", "four");
            assertThat(heard.await(4)).containsExactly("one", "two", "three", "four");
        }
    }

    @Test
    void tellsAGapWhereAServerCanNotResume() throws Exception {
        Heard heard = new Heard();
        Heard calm = new Heard();
        Peer peer = open();
        client.subscribe("/topic/a", heard);
        client.subscribe("/topic/b", calm);
        Frame subscribe = peer.expect("SUBSCRIBE");
        peer.receipt(subscribe);
        Frame calmSubscribe = peer.expect("SUBSCRIBE");
        peer.receipt(calmSubscribe);
        peer.message(calmSubscribe, "a-1", "calm");
        peer.message(subscribe, "a-2", "one");
        heard.await(1);
        peer.close();
        Peer next = server.admit("");
        Frame again = next.expect("SUBSCRIBE");
        assertThat(again.header("resume")).isEqualTo("a-2");
        next.send("ERROR\nfault:resume\nmessage:no longer kept\nreceipt-id:" + again.header("receipt") + "\n\n");
        next.close();
        try (Peer last = server.admit("")) {
            Frame fresh = last.expect("SUBSCRIBE");
            assertThat(fresh.headers()).doesNotContainKey("resume");
            last.receipt(fresh);
            last.message(fresh, "a-9", "two");
            assertThat(heard.await(3)).containsExactly("one", "gap: no longer kept", "two");
            assertThat(last.expect("SUBSCRIBE").header("resume")).isEqualTo("a-1");
            assertThat(calm.all()).containsExactly("calm");
        }
    }

    @Test
    void tellsAGapWithoutAMessageToResumeFrom() throws Exception {
        Heard heard = new Heard();
        Peer peer = open();
        client.subscribe("/topic/a", heard);
        peer.receipt(peer.expect("SUBSCRIBE"));
        // Its receipt has come before that of a message.
        client.send("/topic/b", "x");
        peer.receipt(peer.expect("SEND"));
        Await.until("the receipt", () -> client.status().get("confirmed") == 1);
        peer.close();
        try (Peer next = server.admit("")) {
            assertThat(next.expect("SUBSCRIBE").headers()).doesNotContainKey("resume");
            assertThat(heard.await(1).getFirst()).startsWith("gap: the connection was lost");
            assertThat(client.status()).containsEntry("gaps", 1L);
        }
    }

    @Test
    void whatAServerRefusesIsNotSentAgain() throws Exception {
        Heard heard = new Heard();
        Peer peer = open();
        client.subscribe("/nowhere", heard);
        Frame subscribe = peer.expect("SUBSCRIBE");
        peer.send("ERROR\nfault:no-destination\nmessage:no such group\nreceipt-id:" + subscribe.header("receipt") + "\n\n");
        peer.close();
        assertThat(heard.await(1)).containsExactly("refused: no such group");
        Peer next = server.admit("");
        CompletableFuture<Void> refused = client.send("/nowhere", "x");
        CompletableFuture<Void> after = client.send("/topic/a", "y");
        Frame send = next.expect("SEND");
        next.send("ERROR\nfault:forbidden\nmessage:not you\nreceipt-id:" + send.header("receipt") + "\n\n");
        next.close();
        awaitFailure(refused, "not you");
        Peer last = server.admit("");
        Frame again = last.expect("SEND");
        assertThat(again.header("destination")).isEqualTo("/topic/a");
        last.send("ERROR\nfault:body-too-large\nmessage:too large\n\n");
        last.close();
        awaitFailure(after, "too large");
        // A member that ends says nothing about messages.
        Peer end = server.admit("");
        CompletableFuture<Void> good = client.send("/topic/a", "z");
        end.expect("SEND");
        end.send("ERROR\nfault:closing\nmessage:closing\n\n");
        end.close();
        try (Peer onwards = server.admit("")) {
            onwards.receipt(onwards.expect("SEND"));
            good.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void aSilentServerIsGone() throws Exception {
        CompletableFuture<StompClient> opened = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                opened.complete(StompClient.of(server.url()).heartBeat(Duration.ofMillis(50)).open());
            } catch (StompException | InterruptedException e) {
                opened.completeExceptionally(e);
            }
        });
        try (Peer peer = server.accept()) {
            assertThat(peer.expect("CONNECT").headers()).containsEntry("heart-beat", "50,50").containsEntry("accept-version", "1.2");
            peer.send("CONNECTED\nversion:1.2\nheart-beat:50,50\nendpoints:" + other.url() + "\n\n");
            client = opened.get(30, TimeUnit.SECONDS);
            other.admit("").close();
            assertThat(client.status().get("connections")).isGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void aServerThatIsNoMemberOfTuttiIsGoodEnough() throws Exception {
        CompletableFuture<StompClient> opened = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                opened.complete(StompClient.of(server.url(), other.url()).login("ann", "a:passcode").open());
            } catch (StompException | InterruptedException e) {
                opened.completeExceptionally(e);
            }
        });
        Heard heard = new Heard();
        try (Peer peer = server.accept()) {
            assertThat(peer.expect("CONNECT").headers()).containsEntry("login", "ann").containsEntry("passcode", "a:passcode");
            peer.send("CONNECTED\nversion:1.2\n\n");
            client = opened.get(30, TimeUnit.SECONDS);
            client.subscribe("/queue/a", heard);
            Frame subscribe = peer.expect("SUBSCRIBE");
            peer.receipt(subscribe);
            peer.message(subscribe, "17", "one");
            heard.await(1);
        }
        try (Peer next = other.accept()) {
            next.expect("CONNECT");
            next.send("CONNECTED\nversion:1.2\n\n");
            Frame again = next.expect("SUBSCRIBE");
            assertThat(again.headers()).doesNotContainKey("resume");
            next.message(again, "1", "two");
            assertThat(heard.await(3)).hasSize(3).startsWith("one").endsWith("two");
            assertThat(heard.all().get(1)).startsWith("gap: ");
        }
    }

    @Test
    void sendingWaitsForRoomAndThenGivesUp() throws Exception {
        try (Peer peer = open(builder -> builder.unconfirmed(2, 1 << 20).sendTimeout(Duration.ofMillis(20)), "")) {
            client.send("/topic/a", "one");
            client.send("/topic/a", "two");
            assertThatExceptionOfType(StompException.class)
                    .isThrownBy(() -> client.send("/topic/a", "three"))
                    .withMessageMatching("2 messages with \\d+ bytes wait for receipts; there was no room for another one within 20 ms");
            peer.receipt(peer.expect("SEND"));
            Await.until("room", () -> client.status().get("unconfirmed") == 1);
            client.send("/topic/a", "three");
            assertThatExceptionOfType(StompException.class)
                    .isThrownBy(() -> client.send("/topic/a", Map.of(), new byte[2 << 20]))
                    .withMessageContaining("is larger than the 1048576 bytes");
        }
    }

    @Test
    void aListenerMayWaitForAReceiptAndThrow() throws Exception {
        Heard heard = new Heard();
        CountDownLatch waited = new CountDownLatch(1);
        try (Peer peer = open()) {
            client.subscribe("/topic/a", message -> {
                client.send("/topic/b", "answer").orTimeout(30, TimeUnit.SECONDS).join();
                waited.countDown();
                throw new IllegalStateException("expected by this test");
            });
            client.subscribe("/topic/c", heard);
            Frame first = peer.expect("SUBSCRIBE");
            Frame second = peer.expect("SUBSCRIBE");
            peer.message(first, "a-1", "one");
            peer.receipt(peer.expect("SEND"));
            assertThat(waited.await(30, TimeUnit.SECONDS)).isTrue();
            peer.message(second, "a-2", "two");
            assertThat(heard.await(1)).containsExactly("two");
        }
    }

    @Test
    void aListenerThatIsTooSlowHoldsTheServerUp() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Heard heard = new Heard();
        try (Peer peer = open(builder -> builder.queue(10_000), "")) {
            client.subscribe("/topic/a", message -> {
                try {
                    assertThat(go.await(30, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                heard.onMessage(message);
            });
            Frame subscribe = peer.expect("SUBSCRIBE");
            String body = "x".repeat(1_000);
            for (int i = 1; i <= 20; i++) {
                peer.message(subscribe, "a-" + i, body);
            }
            Await.until("a full queue", () -> client.status().get("received") >= 8);
            assertThat(client.status().get("waiting-bytes")).isLessThanOrEqualTo(10_000);
            go.countDown();
            heard.await(20);
        }
    }

    @Test
    void aMessageThatIsTooLargeIsAGap() throws Exception {
        Heard heard = new Heard();
        try (Peer peer = open(builder -> builder.bodyMax(1_024), "")) {
            client.subscribe("/topic/a", heard);
            Frame subscribe = peer.expect("SUBSCRIBE");
            peer.message(subscribe, "a-1", "x".repeat(2_000));
            peer.send("MESSAGE\nsubscription:" + subscribe.header("id") + "\nmessage-id:a-2\ncontent-length:3000\n\n" + "y".repeat(3_000));
            peer.message(subscribe, "a-3", "three");
            assertThat(heard.await(3))
                    .containsExactly(
                            "gap: a message of 2000 bytes was left out; at most 1024 are taken",
                            "gap: a message of 3000 bytes was left out; at most 1024 are taken",
                            "three");
        }
    }

    @Test
    void closingFailsWhatHasNoReceiptAndEndsTheThread() throws Exception {
        Peer peer = open();
        CompletableFuture<Void> never = client.send("/topic/a", "one");
        peer.close();
        server.close();
        Await.until("the end of the connection", () -> client.server() == null);
        client.close();
        client.close();
        awaitFailure(never, "the client is closed");
        assertThatExceptionOfType(StompException.class).isThrownBy(() -> client.send("/topic/a", "two")).withMessage("the client is closed");
        assertThatExceptionOfType(StompException.class).isThrownBy(() -> client.subscribe("/topic/a", new Heard()));
    }

    @Test
    void saysWhyNoServerLetsItIn() throws Exception {
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    try (Peer peer = server.accept()) {
                        peer.expect("CONNECT");
                        peer.send("ERROR\nmessage:login 'ann' is refused\n\n");
                    }
                }
            } catch (IOException e) {
                // The test is over.
                return;
            }
        });
        assertThatExceptionOfType(StompException.class)
                .isThrownBy(() -> StompClient.of(server.url()).login("ann", "x").connectTimeout(Duration.ofMillis(500)).open())
                .withMessageContaining("no server lets the client in")
                .withMessageContaining("login 'ann' is refused");
    }

    @Test
    void theExampleOfThePageCompiles(@TempDir Path classes) throws Exception {
        Matcher block = Pattern.compile("## A client in Java\n.*?```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(Path.of("../docs/operating/stomp.md")));
        assertThat(block.find()).isTrue();
        Path source = classes.resolve("Example.java");
        Files.writeString(source, "import dev.tutti.stomp.client.*; import java.net.URI;\nclass Example { void run(String passcode) throws Exception {\n" + block.group(1) + "}}");
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", classes.toString(), "-cp", System.getProperty("java.class.path"), source.toString()))
                .isZero();
    }

    @Test
    void wrongOptionsAreNamed() throws Exception {
        assertThatIllegalArgumentException().isThrownBy(StompClient::of).withMessageContaining("stomp://localhost:61613");
        assertThatIllegalArgumentException().isThrownBy(() -> StompClient.of(URI.create("http://a:1"))).withMessageContaining("stomp://HOST:PORT");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StompClient.of(URI.create("stomp://a:1"), URI.create("stomps://b:1")))
                .withMessageContaining("all servers have TLS or none has");
        try (Peer ignored = open()) {
            assertThat(ignored).isNotNull();
            for (String name : List.of("receipt", "destination", "resume")) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> client.send("/topic/a", Map.of(name, "x"), new byte[0]))
                        .withMessage("the header '" + name + "' is the client's own");
            }
        }
    }
}
