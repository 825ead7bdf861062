package dev.tutti.grid.bridges.internal.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Producer;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.WhenFull;
import dev.tutti.grid.bridges.Collector;
import dev.tutti.grid.bridges.SendOptions;
import dev.tutti.grid.bridges.Site;
import dev.tutti.grid.bridges.internal.door.Reply;
import dev.tutti.testing.Await;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SenderTest {

    private static final SubscriptionOptions ALL = SubscriptionOptions.of("sender", Filter.topic("a/#"));

    /** Lines of values. */
    private static final Form LINES = new Form() {
        @Override
        public Map<String, String> headers() {
            return Map.of("Content-Type", "text/lines");
        }

        @Override
        public int points(Measurement measurement) {
            return measurement.body() instanceof Body.Number ? 1 : 0;
        }

        @Override
        public Encoded encode(List<Measurement> batch) {
            String lines = batch.stream().map(each -> Integer.toString((int) ((Body.Number) each.body()).value())).collect(Collectors.joining(" "));
            return new Encoded(lines.getBytes(StandardCharsets.US_ASCII), 0);
        }

        @Override
        public boolean isTemporary(int status) {
            return status == 503;
        }

        @Override
        public long rejected(byte[] answer) {
            return answer.length;
        }
    };

    private final Site site = new Site();
    private final Collector collector = new Collector();
    private final Producer producer = site.producer();

    @AfterEach
    void close() {
        collector.close();
        site.close();
    }

    private Sender open(SendOptions options) {
        return new Sender(site.grid(), ALL, options, LINES);
    }

    private SendOptions options() {
        return SendOptions.to(collector.url()).interval(Duration.ofMillis(20));
    }

    private String sent() {
        return collector.calls().stream().map(call -> new String(call.body(), StandardCharsets.US_ASCII)).collect(Collectors.joining(" "));
    }

    private static void await(Sender sender, String name, long value) {
        Await.until(() -> name + " is " + value + " in " + sender.status(), () -> sender.status().get(name) == value);
    }

    @Test
    void measurementsAreSentInOrderInBatches() {
        try (Sender sender = open(options().points(3).interval(Duration.ofHours(1)))) {
            for (int i = 1; i <= 7; i++) {
                producer.publish("a/b", Body.of(i));
            }
            producer.publish("a/b", Body.of("text"));
            producer.publish("other", Body.of(9));
            await(sender, "sent", 6);
            await(sender, "omitted", 1);
            assertThat(sent()).isEqualTo("1 2 3 4 5 6");
            assertThat(collector.calls()).hasSize(2).allMatch(call -> call.type().equals("text/lines"));
        }
        // What waited is sent at the end.
        assertThat(sent()).isEqualTo("1 2 3 4 5 6 7");
    }

    @Test
    void aBatchIsSentAfterTheInterval() {
        try (Sender sender = open(options())) {
            producer.publish("a/b", Body.of(1));
            await(sender, "sent", 1);
        }
    }

    @Test
    void aServerThatIsBusyIsAskedAgain() {
        AtomicInteger asked = new AtomicInteger();
        collector.answer(() -> asked.incrementAndGet() < 3 ? Reply.text(503, "busy") : new Reply(200, "x", new byte[0], 0));
        try (Sender sender = open(options())) {
            producer.publish("a/b", Body.of(1));
            await(sender, "sent", 1);
            assertThat(sender.status()).containsEntry("retries", 2L).containsEntry("dropped", 0L);
            assertThat(sent()).isEqualTo("1 1 1");
        }
    }

    @Test
    void theServersTimeIsWaitedFor() {
        collector.answer(() -> new Reply(503, "x", new byte[0], 3_600));
        // It asks for more than the patience.
        try (Sender sender = open(options().patience(Duration.ofMinutes(1)))) {
            producer.publish("a/b", Body.of(1));
            await(sender, "dropped", 1);
            assertThat(collector.calls()).hasSize(1);
        }
    }

    @Test
    void whatTheServerRefusesIsDroppedAndTheNextIsSent() {
        collector.answer(() -> Reply.text(400, "no\nlines"));
        try (Sender sender = open(options())) {
            producer.publish("a/b", Body.of(1));
            await(sender, "dropped", 1);
            collector.answer(() -> new Reply(200, "x", new byte[1], 0));
            producer.publish("a/b", Body.of(2));
            // Of an answer of one byte, one point is rejected, as the form reads it.
            await(sender, "rejected", 1);
            assertThat(sender.status()).containsEntry("sent", 0L).containsEntry("retries", 0L);
        }
    }

    @Test
    void aServerThatIsGoneAndComesBackGetsWhatWaited() {
        int port = collector.port();
        collector.close();
        try (Sender sender = open(options())) {
            producer.publish("a/b", Body.of(1));
            Await.until("it tries again", () -> sender.status().get("retries") > 0);
            producer.publish("a/b", Body.of(2));
            try (Collector next = new Collector(port)) {
                await(sender, "sent", 2);
                assertThat(next.calls()).isNotEmpty();
            }
        }
    }

    @Test
    void aServerThatNeverAnswersMakesTheQueueFullAndItsOldestAreDropped() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            SendOptions options = SendOptions.to("http://127.0.0.1:" + silent.getLocalPort() + "/").interval(Duration.ofMillis(20)).points(1);
            Sender sender = new Sender(
                    site.grid(), ALL.queue(SubscriptionOptions.QUEUE_MIN, WhenFull.DROP_OLDEST), options.timeout(Duration.ofSeconds(50)), LINES);
            producer.publish("a/b", Body.of(1));
            Await.until("it is not told any more", () -> sender.status().get("waiting-bytes") == 0);
            for (int i = 0; i < 100; i++) {
                // 200 kB each, although none of it would be sent.
                producer.publish("a/b", Body.of("x".repeat(100_000)));
            }
            assertThat(sender.status().get("waiting-bytes")).isBetween(1L, SubscriptionOptions.QUEUE_MIN);
            // Closing does not wait for the timeout.
            sender.close();
            assertThat(sender.status().get("dropped")).isEqualTo(1);
        }
    }

    @Test
    void anAnswerWithoutEndIsCutOff() {
        collector.answer(() -> new Reply(200, "x", new byte[1 << 20], 0));
        try (Sender sender = open(options().patience(Duration.ofMillis(10)))) {
            producer.publish("a/b", Body.of(1));
            await(sender, "dropped", 1);
        }
    }

    @Test
    void optionsAreChecked() {
        assertThatIllegalArgumentException().isThrownBy(() -> SendOptions.to("ftp://x/")).withMessageContaining("https://");
        assertThatIllegalArgumentException().isThrownBy(() -> options().points(0));
        assertThatIllegalArgumentException().isThrownBy(() -> options().interval(Duration.ZERO));
        assertThat(options().token("t").headers()).containsEntry("Authorization", "Bearer t");
    }
}
