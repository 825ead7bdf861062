package dev.tutti.stomp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.GroupState;
import dev.tutti.Node;
import dev.tutti.Snapshot;
import dev.tutti.core.settings.SettingException;
import dev.tutti.stomp.Client.Reply;
import dev.tutti.stomp.internal.codec.StompFault;
import dev.tutti.stomp.internal.session.Counter;
import dev.tutti.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One member, tested over a socket. */
class StompServerTest {

    private static final List<StompMessage> HEARD = new CopyOnWriteArrayList<>();
    private static Cluster cluster;
    private static StompServer server;

    @BeforeAll
    static void start() {
        cluster = new Cluster();
        server = cluster.start(builder -> builder.groups("topic", "other")
                .set("stomp.heart-beat", "200 ms")
                .onMessage(HEARD::add)
                .authenticator(login -> switch (login.login()) {
                    case "nobody" -> null;
                    case "broken" -> throw new IOException("the directory does not answer");
                    case "reader" -> new Access() {
                        @Override
                        public boolean maySend(String destination) {
                            return false;
                        }
                    };
                    default -> Access.ALL;
                }));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static Client connect() throws IOException {
        return Client.connect(server.port());
    }

    private static Reply failure(String... frames) throws IOException {
        return failure("1.2", frames);
    }

    private static Reply failure(String version, String[] frames) throws IOException {
        try (Client client = Client.connect(server.port(), version)) {
            for (String frame : frames) {
                client.send(frame);
            }
            Reply error = client.await("ERROR");
            assertThat(client.isClosed()).isTrue();
            return error;
        }
    }

    // ------------------------------------------------------------------ connecting

    @ParameterizedTest
    @ValueSource(strings = {"CONNECT", "STOMP"})
    void agreesOnTheHighestVersion(String command) throws IOException {
        try (Client client = Client.open(server.port())) {
            client.send(command + "\naccept-version:1.0,1.2,1.1,7.0\nhost:here\nlogin:ann\npasscode:a:b\n\n");
            Reply connected = client.expect("CONNECTED");
            assertThat(connected.header("version")).isEqualTo("1.2");
            assertThat(connected.header("heart-beat")).isEqualTo("200,200");
            assertThat(connected.header("server")).startsWith("tutti/");
            assertThat(connected.header("session")).isNotEmpty();
        }
    }

    @Test
    void speaksVersion10ToThoseWhoNameNone() throws IOException {
        try (Client client = Client.open(server.port())) {
            client.send("CONNECT\n\n");
            assertThat(client.expect("CONNECTED").header("version")).isEqualTo("1.0");
        }
    }

    @Test
    void namesItsVersionsToThoseWhoSpeakNoneOfThem() throws IOException {
        try (Client client = Client.open(server.port())) {
            client.send("CONNECT\naccept-version:2.0\nhost:here\n\n");
            assertThat(client.expect("ERROR").header("version")).isEqualTo("1.0,1.1,1.2");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void refusesWhoeverTheAuthenticatorRefuses() throws IOException {
        for (String login : List.of("nobody", "broken")) {
            try (Client client = Client.open(server.port())) {
                client.send("CONNECT\naccept-version:1.2\nhost:here\nlogin:" + login + "\n\n");
                assertThat(client.expect("ERROR").header("message")).contains("login '" + login + "' is refused");
                assertThat(client.isClosed()).isTrue();
            }
        }
    }

    @Test
    void asksForConnectFirstAndOnce() throws IOException {
        try (Client client = Client.open(server.port())) {
            client.send("SEND\ndestination:/topic/a\n\n");
            assertThat(client.expect("ERROR").header("message")).contains("first frame is CONNECT");
        }
        assertThat(failure("CONNECT\naccept-version:1.2\nhost:a\n\n").header("message")).contains("logged in already");
    }

    @Test
    void doesWhatAccessAllowsOnly() throws IOException {
        try (Client client = Client.open(server.port())) {
            client.send("CONNECT\naccept-version:1.2\nhost:here\nlogin:reader\n\n");
            client.expect("CONNECTED");
            client.sendAndWait("SUBSCRIBE", "id:1", "destination:/topic/a");
            client.send("SEND\ndestination:/topic/a\n\nx");
            assertThat(client.expect("ERROR").header("message")).contains("may not send to");
        }
    }

    // ------------------------------------------------------------------ messages

    @Test
    void deliversToSubscriptionsOfEveryKind() throws IOException {
        try (Client client = connect()) {
            client.sendAndWait("SUBSCRIBE", "id:exact", "destination:/topic/kinds/a");
            client.sendAndWait("SUBSCRIBE", "id:one", "destination:/topic/*/a");
            client.sendAndWait("SUBSCRIBE", "id:rest", "destination:/topic/kinds/**");
            client.sendAndWait("SUBSCRIBE", "id:all", "destination:/**");
            client.sendAndWait("SUBSCRIBE", "id:no", "destination:/topic/kinds/b");
            client.sendAndWait("SUBSCRIBE", "id:other", "destination:/other/kinds/a");
            client.send("SEND\ndestination:/topic/kinds/a\nx:1\nx:2\nreceipt:ignored\n\nhello");
            List<String> ids = new CopyOnWriteArrayList<>();
            for (int count = 0; count < 4; count++) {
                Reply message = client.await("MESSAGE");
                assertThat(message.body()).isEqualTo("hello");
                assertThat(message.header("destination")).isEqualTo("/topic/kinds/a");
                assertThat(message.header("x")).isEqualTo("1");
                assertThat(message.header("message-id")).isNotEmpty();
                assertThat(message.header("content-length")).isEqualTo("5");
                assertThat(message.headers()).doesNotContainKeys("receipt", "ack");
                ids.add(message.header("subscription"));
            }
            assertThat(ids).containsExactlyInAnyOrder("exact", "one", "rest", "all");
        }
    }

    @Test
    void endsASubscription() throws IOException {
        try (Client client = connect()) {
            client.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/end");
            client.sendAndWait("SUBSCRIBE", "id:b", "destination:/topic/end");
            client.sendAndWait("UNSUBSCRIBE", "id:a");
            client.send("SEND\ndestination:/topic/end\n\nx");
            client.send("SEND\ndestination:/topic/end\n\ny");
            assertThat(client.expect("MESSAGE").header("subscription")).isEqualTo("b");
            assertThat(client.expect("MESSAGE").header("subscription")).isEqualTo("b");
        }
    }

    @Test
    void carriesBodiesWithNuls() throws IOException {
        try (Client client = connect()) {
            client.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/nul");
            client.send("SEND\ndestination:/topic/nul\ncontent-length:5\n\na\0b\0\n");
            assertThat(client.expect("MESSAGE").body()).isEqualTo("a\0b\0\n");
        }
    }

    @Test
    void escapesForEachVersionWhatAnotherHasSent() throws IOException {
        try (Client v10 = Client.connect(server.port(), "1.0");
                Client v11 = Client.connect(server.port(), "1.1");
                Client v12 = connect()) {
            for (Client each : List.of(v10, v11, v12)) {
                each.sendAndWait("SUBSCRIBE", "id:s", "destination:/topic/escapes");
            }
            v12.send("SEND\r\ndestination:/topic/escapes\r\nkey\\c1:a\\nb\\rc\\\\d\\ce \r\n\r\nx");
            assertThat(v12.expect("MESSAGE").headers()).containsEntry("key\\c1", "a\\nb\\rc\\\\d\\ce ");
            assertThat(v11.expect("MESSAGE").headers()).containsEntry("key\\c1", "a\\nb c\\\\d\\ce ");
            // STOMP 1.0 has no escapes: no header may begin inside the value of another.
            assertThat(v10.expect("MESSAGE").headers()).containsEntry("key 1", "a b c\\d:e ");
        }
    }

    @Test
    void letsTheProcessItselfListenAndSend() throws Exception {
        try (Client client = connect()) {
            client.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/java");
            server.publish("/topic/java", Map.of("kind", "greeting"), "hello".getBytes(StandardCharsets.UTF_8))
                    .get(20, TimeUnit.SECONDS);
            Reply message = client.expect("MESSAGE");
            assertThat(message.body()).isEqualTo("hello");
            assertThat(message.header("kind")).isEqualTo("greeting");
            StompMessage heard = HEARD.stream()
                    .filter(each -> each.destination().equals("/topic/java"))
                    .findFirst()
                    .orElseThrow();
            assertThat(heard.id()).isEqualTo(message.header("message-id"));
            assertThat(heard.text()).isEqualTo("hello");
        }
        assertThatThrownBy(() -> server.publish("/nowhere/a", Map.of(), new byte[0]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/topic/, /other/");
    }

    // ------------------------------------------------------------------ receipts, acknowledgements, transactions

    @Test
    void acknowledgesEveryFrameThatAsksForIt() throws IOException {
        try (Client client = connect()) {
            client.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/receipts");
            client.sendAndWait("BEGIN", "transaction:t");
            client.sendAndWait("SEND", "destination:/topic/receipts", "transaction:t");
            client.sendAndWait("ABORT", "transaction:t");
            client.sendAndWait("UNSUBSCRIBE", "id:a");
            client.sendAndWait("SEND", "destination:/topic/receipts");
            client.sendAndWait("ACK", "id:1/unknown");
            client.sendAndWait("NACK", "id:1/unknown");
            client.sendAndWait("DISCONNECT");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void disconnectsOnlyWhenAllThatWasSentIsHeld() throws IOException {
        try (Client client = connect();
                Client other = connect()) {
            other.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/leave");
            for (int number = 0; number < 100; number++) {
                client.send("SEND\ndestination:/topic/leave\n\n" + number);
            }
            client.sendAndWait("DISCONNECT");
            assertThat(client.isClosed()).isTrue();
            assertThat(other.messages(100)).hasSize(100).startsWith("0", "1").endsWith("99");
        }
    }

    @Test
    void waitsForAcksOneByOneOrForAllBefore() throws IOException {
        long acked = server.status().get("acked");
        try (Client client = connect()) {
            client.sendAndWait("SUBSCRIBE", "id:c", "destination:/topic/acks", "ack:client");
            client.sendAndWait("SUBSCRIBE", "id:i", "destination:/topic/acks", "ack:client-individual");
            for (int number = 0; number < 3; number++) {
                client.send("SEND\ndestination:/topic/acks\n\n" + number);
            }
            Reply lastOfClient = null;
            Reply lastOfIndividual = null;
            for (int count = 0; count < 6; count++) {
                Reply message = client.expect("MESSAGE");
                assertThat(message.header("ack")).isNotEmpty();
                if (message.header("subscription").equals("c")) {
                    lastOfClient = message;
                } else {
                    lastOfIndividual = message;
                }
            }
            assertThat(lastOfClient).isNotNull();
            assertThat(lastOfIndividual).isNotNull();
            client.sendAndWait("ACK", "id:" + lastOfClient.header("ack"));
            assertThat(server.status().get("acked")).isEqualTo(acked + 3);
            client.sendAndWait("ACK", "id:" + lastOfIndividual.header("ack"));
            assertThat(server.status().get("acked")).isEqualTo(acked + 4);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.0", "1.1"})
    void knowsAcksOfOlderVersions(String version) throws IOException {
        long acked = server.status().get("acked");
        try (Client client = Client.connect(server.port(), version)) {
            client.sendAndWait("SUBSCRIBE", "id:c", "destination:/topic/old" + version, "ack:client");
            client.send("SEND\ndestination:/topic/old" + version + "\n\nx");
            Reply message = client.expect("MESSAGE");
            assertThat(message.headers()).doesNotContainKey("ack");
            client.sendAndWait("ACK", "message-id:" + message.header("message-id"), "subscription:c");
            assertThat(server.status().get("acked")).isEqualTo(acked + 1);
        }
    }

    @Test
    void publishesWhatATransactionHoldsAtItsCommitAndNothingOfAnother() throws IOException {
        try (Client client = connect();
                Client other = connect()) {
            other.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/tx");
            client.sendAndWait("BEGIN", "transaction:t1");
            client.sendAndWait("BEGIN", "transaction:t2");
            client.send("SEND\ndestination:/topic/tx\ntransaction:t1\n\n1");
            client.send("SEND\ndestination:/topic/tx\ntransaction:t2\n\nnever");
            client.send("SEND\ndestination:/topic/tx\ntransaction:t1\n\n2");
            client.send("SEND\ndestination:/topic/tx\n\n0");
            client.sendAndWait("ABORT", "transaction:t2");
            client.sendAndWait("COMMIT", "transaction:t1");
            Reply first = other.expect("MESSAGE");
            assertThat(first.body()).isEqualTo("0");
            assertThat(first.headers()).doesNotContainKey("transaction");
            Reply second = other.expect("MESSAGE");
            Reply third = other.expect("MESSAGE");
            assertThat(List.of(second.body(), third.body())).containsExactly("1", "2");
            assertThat(third.header("message-id")).isEqualTo(second.header("message-id") + ".1");
        }
    }

    @Test
    void acknowledgesInATransactionAtItsCommit() throws IOException {
        try (Client client = connect()) {
            client.sendAndWait("SUBSCRIBE", "id:c", "destination:/topic/txack", "ack:client-individual");
            client.send("SEND\ndestination:/topic/txack\n\nx");
            String ack = client.expect("MESSAGE").header("ack");
            long acked = server.status().get("acked");
            client.sendAndWait("BEGIN", "transaction:t");
            client.sendAndWait("ACK", "id:" + ack, "transaction:t");
            assertThat(server.status().get("acked")).isEqualTo(acked);
            client.sendAndWait("COMMIT", "transaction:t");
            assertThat(server.status().get("acked")).isEqualTo(acked + 1);
        }
    }

    // ------------------------------------------------------------------ resuming

    @Test
    void sendsAgainWhatAResumedSubscriptionHasMissed() throws IOException {
        try (Client client = connect()) {
            client.sendAndWait("SUBSCRIBE", "id:a", "destination:/topic/resume");
            for (int number = 0; number < 10; number++) {
                client.send("SEND\ndestination:/topic/resume\n\n" + number);
            }
            String third = "";
            for (int number = 0; number < 10; number++) {
                Reply message = client.expect("MESSAGE");
                third = number == 2 ? message.header("message-id") : third;
            }
            client.sendAndWait("UNSUBSCRIBE", "id:a");
            client.send("SUBSCRIBE\nid:b\ndestination:/topic/resume\nresume:" + third + "\n\n");
            client.send("SEND\ndestination:/topic/resume\n\n10");
            assertThat(client.messages(8)).containsExactly("3", "4", "5", "6", "7", "8", "9", "10");
        }
    }

    @Test
    void saysThatItDoesNotUnderstandWhereToResume() throws IOException {
        assertThat(failure("SUBSCRIBE\nid:b\ndestination:/topic/resume\nresume:yesterday\n\n").header("message"))
                .contains("message-ids");
    }

    // ------------------------------------------------------------------ heart-beats

    @Test
    void beatsAsOftenAsWasAgreed() throws IOException {
        try (Client client = Client.open(server.port())) {
            client.send("CONNECT\naccept-version:1.2\nhost:here\nheart-beat:0,100\n\n");
            client.expect("CONNECTED");
            long startNanos = System.nanoTime();
            for (int beat = 0; beat < 3; beat++) {
                client.expectHeartBeat();
            }
            assertThat(System.nanoTime() - startNanos).isLessThan(5_000_000_000L);
        }
    }

    @Test
    void disconnectsWhoFallsSilent() throws IOException {
        try (Client client = Client.open(server.port())) {
            client.send("CONNECT\naccept-version:1.2\nhost:here\nheart-beat:100,0\n\n");
            client.expect("CONNECTED");
            assertThat(client.expect("ERROR").header("message")).contains("no heart-beat");
        }
    }

    // ------------------------------------------------------------------ mistakes

    @Test
    void saysWhatIsWrong() throws IOException {
        assertThat(failure("SEND\n\nx").header("message")).contains("needs the header 'destination'");
        assertThat(failure("SEND\ndestination:/nowhere/a\n\nx").header("message")).contains("/topic/, /other/");
        assertThat(failure("SEND\ndestination:topic\n\nx").header("message")).contains("begins with a slash");
        assertThat(failure("SEND\ndestination:/topic/*\n\nx").header("message")).contains("without wildcards");
        assertThat(failure("SUBSCRIBE\ndestination:/topic/a\n\n").header("message")).contains("needs the header 'id'");
        assertThat(failure("SUBSCRIBE\nid:1\ndestination:/topic/a\nack:maybe\n\n").header("message")).contains("client-individual");
        assertThat(failure("SUBSCRIBE\nid:1\ndestination:/topic/**/a\n\n").header("message")).contains("last segment");
        assertThat(failure("SUBSCRIBE\nid:1\ndestination:/topic/a\n\n", "SUBSCRIBE\nid:1\ndestination:/topic/b\n\n")
                        .header("message"))
                .contains("already");
        assertThat(failure("UNSUBSCRIBE\nid:7\n\n").header("message")).contains("no such subscription");
        assertThat(failure("BEGIN\ntransaction:a\n\n", "BEGIN\ntransaction:a\n\n").header("message")).contains("already");
        assertThat(failure("COMMIT\ntransaction:a\n\n").header("message")).contains("no transaction 'a'");
        assertThat(failure("ABORT\ntransaction:a\n\n").header("message")).contains("no transaction 'a'");
        assertThat(failure("ACK\n\n").header("message")).contains("needs the header 'id'");
        assertThat(failure("HELLO\n\n").header("message")).contains("no command HELLO");
        assertThat(failure("1.0", new String[] {"NACK\nmessage-id:a\n\n"}).header("message")).contains("no NACK");
        assertThat(failure("1.1", new String[] {"ACK\nmessage-id:a\n\n"}).header("message")).contains("'subscription'");
    }

    @Test
    void namesTheReceiptOfTheFrameThatCausedAnError() throws IOException {
        assertThat(failure("SEND\nreceipt:r1\n\nx").header("receipt-id")).isEqualTo("r1");
    }

    @Test
    void countsWhatTheDocumentationNames() throws IOException {
        String page = Files.readString(Path.of("../docs/operating/stomp.md"));
        for (String name : server.status().keySet()) {
            assertThat(page).contains("| `" + name + "` | ");
        }
        for (Counter counter : Counter.values()) {
            assertThat(page).contains("` | " + counter.description() + " |");
        }
        for (StompFault fault : StompFault.values()) {
            assertThat(page).contains("` | " + fault.description() + " |");
        }
    }

    @Test
    void survivesEveryDivisionOfTheStream() throws IOException {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        frames.write("SUBSCRIBE\nid:d\ndestination:/topic/divided\n\n\0\n\r\n".getBytes(StandardCharsets.UTF_8));
        frames.write("SEND\ndestination:/topic/divided\ncontent-length:3\n\na\0b\0".getBytes(StandardCharsets.UTF_8));
        try (Client client = connect()) {
            for (byte each : frames.toByteArray()) {
                client.sendRaw(new byte[] {each});
            }
            assertThat(client.expect("MESSAGE").body()).isEqualTo("a\0b");
        }
    }

    @Test
    void bindsToOtherAddressesOnlyIfThatIsSafeOrSaidToBeMeant() {
        try (Node node = Node.tcp(0).start()) {
            assertThatThrownBy(() -> StompServer.on(node).port(0).set("stomp.address", "ANY").start())
                    .isInstanceOf(SettingException.class)
                    .hasMessageContaining("stomp.insecure");
            assertThatThrownBy(() -> StompServer.on(node).groups("a/b").port(0).start())
                    .isInstanceOf(SettingException.class)
                    .hasMessageContaining("a/b");
            assertThatThrownBy(() -> StompServer.on(node).port(server.port()).start())
                    .isInstanceOf(SettingException.class)
                    .hasMessageContaining("stomp.port");
        }
    }

    /** A state that is the text of all messages so far. */
    private static final class Sum implements GroupState {

        private final StringBuffer text = new StringBuffer();

        void onMessage(StompMessage message) {
            text.append(message.text());
        }

        @Override
        public Snapshot snapshot() {
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            return out -> out.write(bytes);
        }

        @Override
        public void install(InputStream in) throws IOException {
            text.setLength(0);
            text.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void handsTheStateOfAGroupToMembersThatComeLater() throws Exception {
        try (Cluster states = new Cluster()) {
            Sum first = new Sum();
            Sum second = new Sum();
            StompServer one = states.start(builder -> builder.groups("sum").state("sum", first).onMessage(first::onMessage));
            one.publish("/sum/a", Map.of(), new byte[] {'a'}).get(20, TimeUnit.SECONDS);
            one.publish("/sum/b", Map.of(), new byte[] {'b'}).get(20, TimeUnit.SECONDS);
            StompServer two = states.start(builder -> builder.groups("sum").state("sum", second).onMessage(second::onMessage));
            // A member that did not find the other in time starts alone; the state comes after the view in which they
            // meet.
            Await.until("the state is there", () -> second.text.toString().equals("ab"));
            two.publish("/sum/c", Map.of(), new byte[] {'c'}).get(20, TimeUnit.SECONDS);
            assertThat(first.text).hasToString("abc");
            assertThat(second.text).hasToString("abc");
        }
    }

    @Test
    void refusesAStateOfAGroupThatIsNotServed() {
        assertThatThrownBy(() -> {
                    try (Cluster states = new Cluster()) {
                        states.start(builder -> builder.groups("sum").state("other", new Sum()));
                    }
                })
                .hasMessageContaining("other is given a state and is not served");
    }
}
