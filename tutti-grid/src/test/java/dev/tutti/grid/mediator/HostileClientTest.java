package dev.tutti.grid.mediator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tutti.Node;
import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.internal.wire.ClientMessage;
import dev.tutti.grid.member.GridMember;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that lie, and clients that ask for too much. */
class HostileClientTest {

    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private Node node;
    private GridMember grid;
    private Mediator mediator;
    private RawClient raw;

    @BeforeEach
    void open() {
        node = Node.tcp(0).name("n1").start();
        grid = GridMember.on(node).timeout(Duration.ofSeconds(30)).join();
        mediator = Mediator.on(grid).port(0).open();
        raw = new RawClient(mediator.url()).reading();
    }

    @AfterEach
    void close() {
        raw.close();
        mediator.close();
        grid.close();
        node.close();
    }

    private static Measurement measurement(String producer, long sequence) {
        return new Measurement(producer, sequence, Topic.of("a/b"), Map.of(), Instant.EPOCH, ClockQuality.UNKNOWN, Body.of(sequence));
    }

    private HttpResponse<String> ask(String path, String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(mediator.url() + path));
        if (!body.isEmpty()) {
            request.POST(HttpRequest.BodyPublishers.ofString(body));
        }
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void nobodyTakesTheIdentityOfAnother() {
        try (GridClient honest = GridClient.of(mediator.url()).open()) {
            Queue<Measurement> got = new ConcurrentLinkedQueue<>();
            grid.subscribe(SubscriptionOptions.of("m", Filter.ALL), got::add);
            Producer producer = honest.produce(ProducerOptions.of("p", "a/#"));
            Await.until("it is registered", () -> grid.find(Query.PRODUCERS).items().size() == 1);
            raw.register(producer.entry().id(), Entry.Kind.PRODUCER, Long.MAX_VALUE, "a/#");
            Await.until("the other is refused", () -> raw.got(ClientMessage.Refused.class).count() == 1);
            producer.publish("a/b", Body.of(1));
            Await.until("the measurement comes", () -> got.size() == 1);
            assertThat(raw.got(ClientMessage.Refused.class)).allMatch(each -> each.reason().contains("identity"));
            assertThat(grid.find(Query.PRODUCERS).items()).extracting(Entry::name).containsExactly("p");
        }
    }

    /** A member numbers its producers; a client that is the first to have the next identity must not stop them. */
    @Test
    void nobodyTakesTheNextIdentityOfTheMember() {
        String first = grid.produce(ProducerOptions.of("one", "a/#")).entry().id();
        String next = first.substring(0, first.lastIndexOf('-') + 1) + "2";
        raw.register(next, Entry.Kind.PRODUCER, 1, "a/#");
        Await.until("it is answered", () -> raw.got(ClientMessage.Refused.class).count() + raw.got(ClientMessage.Registered.class).count() == 1);
        grid.produce(ProducerOptions.of("two", "a/#"));
        Await.until("both are found", () -> grid.find(Query.PRODUCERS.within(DEADLINE)).items().stream().map(Entry::name).toList().equals(List.of("one", "two")));
    }

    @Test
    void measurementsUnderAnothersProducerAreNotPublished() {
        try (GridClient honest = GridClient.of(mediator.url()).open()) {
            Queue<Measurement> got = new ConcurrentLinkedQueue<>();
            grid.subscribe(SubscriptionOptions.of("m", Filter.ALL), got::add);
            Producer producer = honest.produce(ProducerOptions.of("p", "a/#"));
            Await.until("it is registered", () -> grid.find(Query.PRODUCERS).items().size() == 1);
            raw.send(new ClientMessage.Publish(measurement(producer.entry().id(), Long.MAX_VALUE)));
            Await.until("it is counted", () -> mediator.numbers().get("client-unpublished") == 1);
            producer.publish("a/b", Body.of(1));
            Await.until("the honest one comes", () -> got.size() == 1);
            assertThat(got).extracting(Measurement::sequence).containsExactly(1L);
        }
    }

    @Test
    void aConsumerThatIsRegisteredAgainAndAgainLeavesNothingBehind() {
        Producer producer = grid.produce(ProducerOptions.of("p", "a/#"));
        for (int number = 1; number <= 5; number++) {
            raw.register(raw.id(1), Entry.Kind.CONSUMER, number, "a/#");
        }
        Await.until("all are registered", () -> raw.got(ClientMessage.Registered.class).count() == 5);
        assertThat(producer.isWanted(Topic.of("a/b"))).isTrue();
        producer.publish("a/b", Body.of(1));
        Await.until("it comes once", () -> raw.told() == 1);
        raw.send(new ClientMessage.Withdraw(raw.id(1)));
        Await.until("it is withdrawn", () -> grid.status().get("consumers") == 0);
        assertThat(producer.isWanted(Topic.of("a/b"))).isFalse();
    }

    /** Sixteen questions of a client may wait; none of them waits for ever, however long the deadline is that it gives. */
    @Test
    void questionsWithAbsurdDeadlinesAreAnswered() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 16; i++) {
                raw.send(new ClientMessage.Find(16L * round + i, Query.ALL.within(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999))));
            }
            long all = 16L * (round + 1);
            Await.until("all are answered", () -> raw.got(ClientMessage.Entries.class).count() == all);
        }
        raw.send(new ClientMessage.Find(99, Query.ALL));
        Await.until("the client may ask", () -> raw.got(ClientMessage.Entries.class)
                .anyMatch(each -> each.question() == 99 && each.answer().isComplete()));
    }

    @Test
    void timesThatCanNotBeEncodedAreRefused() throws Exception {
        HttpResponse<String> posted = ask("/v1/publish", "{\"topic\": \"a/b\", \"value\": 1, \"time\": " + Long.MAX_VALUE + "}");
        assertThat(posted.statusCode()).isEqualTo(400);
        assertThat(posted.body()).contains("time");
        assertThat(ask("/v1/publish", "{\"topic\": \"a/b\", \"value\": 2}").statusCode()).isEqualTo(200);
        HttpResponse<String> kept = ask("/v1/history?topic=a/b", "");
        assertThat(kept.statusCode()).isEqualTo(200);
        assertThat(kept.body()).contains("\"value\":2.0");
        Producer own = grid.produce(ProducerOptions.of("own", "a/#"));
        assertThatIllegalArgumentException().isThrownBy(() -> own.publish(Topic.of("a/b"), Map.of(), Instant.MAX, Body.of(1))).withMessageContaining("time");
    }

    @Test
    void refusalsRepeatLittleOfAbsurdNames() throws Exception {
        HttpResponse<String> posted = ask("/v1/publish", "{\"producer\": \"" + "x".repeat(500_000) + "\", \"topic\": \"a/b\", \"value\": 1}");
        assertThat(posted.statusCode()).isEqualTo(400);
        assertThat(posted.body()).hasSizeLessThan(1_000);
        HttpResponse<String> topic = ask("/v1/publish", "{\"topic\": 7, \"text\": \"" + "x".repeat(500_000) + "\"}");
        assertThat(topic.statusCode()).isEqualTo(400);
        HttpResponse<String> tags = ask("/v1/publish", "{\"topic\": \"a\", \"value\": 1, \"tags\": \"" + "x".repeat(500_000) + "\"}");
        assertThat(tags.statusCode()).isEqualTo(400);
        assertThat(tags.body()).hasSizeLessThan(1_000);
    }

    @Test
    void namesOfAbsurdSizeAreRefused() throws Exception {
        String large = "x".repeat(3 << 20);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Entry("c", Entry.Kind.PRODUCER, large, "", "", "", List.of(), "", "", -1, 1, Map.of()))
                .withMessageContaining("name")
                .withMessageContaining("3145728");
        assertThatIllegalArgumentException().isThrownBy(() -> grid.produce(ProducerOptions.of("p", "a/#").with("k", large)));
        assertThatIllegalArgumentException().isThrownBy(() -> grid.produce(ProducerOptions.of("p", "a/#").with(large, "v")));
        assertThatIllegalArgumentException().isThrownBy(() -> grid.produce(ProducerOptions.of("p", "a/#").type(large)));
        assertThatIllegalArgumentException().isThrownBy(() -> grid.produce(ProducerOptions.of("p", "a/#").address(large)));
        try (GridClient client = GridClient.of(mediator.url()).open()) {
            assertThatIllegalArgumentException().isThrownBy(() -> client.produce(ProducerOptions.of("p", "a/#").with("k", large)));
            Producer producer = client.produce(ProducerOptions.of("p", "a/#"));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> producer.publish(Topic.of("a/b"), Map.of("k", large), Instant.EPOCH, Body.of(1)))
                    .withMessageContaining("tag");
            producer.publish("a/b", Body.of(1));
            Await.until("the client goes on", () -> mediator.numbers().get("client-published") == 1);
            assertThat(client.status()).containsEntry("connections", 1L);
        }
    }
}
