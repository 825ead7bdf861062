package dev.tutti.grid.mediator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tutti.Node;
import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.internal.wire.ClientMessage;
import dev.tutti.grid.member.GridMember;
import dev.tutti.testing.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory of all clients of a mediator together. */
class MemoryTest {

    private static final long MEMORY = 32L << 20;
    private static final long SENDING = MEMORY / 2;
    private static final long QUARTER = MEMORY / 4;
    private static final int ALL = 120;
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private final List<RawClient> raws = new ArrayList<>();
    private Node node;
    private GridMember grid;
    private Mediator mediator;

    @BeforeEach
    void open() {
        node = Node.tcp(0).name("n1").start();
        grid = GridMember.on(node).timeout(Duration.ofSeconds(30)).join();
        mediator = Mediator.on(grid).port(0).memory(MEMORY).open();
    }

    @AfterEach
    void close() {
        raws.forEach(RawClient::close);
        mediator.close();
        grid.close();
        node.close();
    }

    private RawClient raw() {
        RawClient raw = new RawClient(mediator.url());
        raws.add(raw);
        return raw;
    }

    private long number(String name) {
        return mediator.numbers().get(name);
    }

    /** Twenty clients of which none reads would have eight MiB each. */
    @Test
    void clientsThatDoNotReadShareWhatThereIs() {
        for (int i = 0; i < 20; i++) {
            raw().register(raws.get(i).id(1), Entry.Kind.CONSUMER, 1, "#");
        }
        Queue<Measurement> got = new ConcurrentLinkedQueue<>();
        Queue<Long> missing = new ConcurrentLinkedQueue<>();
        try (GridClient honest = GridClient.of(mediator.url()).open()) {
            honest.subscribe(SubscriptionOptions.of("honest", Filter.ALL), new MeasurementListener() {
                @Override
                public void onMeasurement(Measurement measurement) {
                    got.add(measurement);
                }

                @Override
                public void onGap(Gap gap) {
                    missing.add(gap.count());
                }
            });
            Await.until("all are there", () -> grid.find(Query.CONSUMERS).items().size() == 21);
            Producer producer = grid.produce(ProducerOptions.of("p", "large"));
            byte[] large = new byte[1 << 18];
            for (int i = 0; i < ALL; i++) {
                long count = i + 1L;
                producer.publish("large", Body.of(large));
                Await.until("the one that reads has it", () -> got.size() == count);
                Await.until("the queues give way", () -> number("client-sending-bytes") <= SENDING);
            }
            assertThat(missing).isEmpty();
            assertThat(number("client-dropped")).isPositive();
            assertThat(number("client-sending-relieved")).isPositive();
            assertThat(number("client-evicted")).isZero();
            raws.forEach(RawClient::reading);
            for (RawClient each : raws) {
                Await.until("all are told or missing", () -> each.told() + each.missing() == ALL);
            }
            Await.until("all memory is free", () -> number("client-sending-bytes") == 0);
        }
    }

    @Test
    void messagesWithoutAnEndAreClosedBeforeTheyAreTooMany() {
        try (GridClient honest = GridClient.of(mediator.url()).open()) {
            Producer producer = honest.produce(ProducerOptions.of("p", "a/#"));
            Await.until("it is there", () -> grid.find(Query.PRODUCERS).items().size() == 1);
            for (int i = 0; i < 12; i++) {
                RawClient raw = raw();
                try {
                    raw.sendPart(1 << 20);
                } catch (CompletionException e) {
                    // It was closed while it sent.
                }
                Await.until("there is room", () -> number("client-receiving-bytes") <= QUARTER);
            }
            // What a client has sent may be in the socket, and there is room until it is read.
            Await.until("some are closed", () -> number("client-evicted") > 0);
            producer.publish("a/b", Body.of(new byte[100_000]));
            Await.until("it is published", () -> number("client-published") == 1);
            assertThat(honest.status()).containsEntry("connections", 1L);
        }
        raws.forEach(RawClient::close);
        Await.until("all memory is free", () -> number("client-receiving-bytes") == 0);
    }

    @Test
    void keptMeasurementsGiveWayToNewerOnesAndToEntries() {
        RawClient raw = raw().reading();
        for (int i = 1; i <= 20; i++) {
            raw.send(new ClientMessage.Register(RawClient.entry(raw.id(i), Entry.Kind.PRODUCER, 1, "a/" + i), 1_000));
            for (int j = 1; j <= 20; j++) {
                raw.send(new ClientMessage.Publish(new Measurement(
                        raw.id(i), j, Topic.of("a/" + i), Map.of(), Instant.EPOCH.plusSeconds(j), ClockQuality.UNKNOWN, Body.of(new byte[100_000]))));
            }
        }
        Await.until("all are published", () -> number("client-published") == 400);
        assertThat(number("client-kept-bytes")).isLessThanOrEqualTo(QUARTER);
        assertThat(number("client-kept-relieved")).isPositive();
        List<Measurement> kept = grid.history(Filter.topic("a/20"), Instant.EPOCH, Instant.MAX, DEADLINE).items();
        assertThat(kept).isNotEmpty();
        assertThat(kept.getLast().sequence()).isEqualTo(20);
        int refused = 0;
        for (int i = 21; i < 4_000 && refused == 0; i++) {
            Entry entry = new Entry(
                    raw.id(i), Entry.Kind.PRODUCER, "raw", "", "", "", List.of(Filter.topic("b")), "", "s".repeat(8_000), -1, 1, Map.of());
            raw.send(new ClientMessage.Register(entry, 0));
            long answered = i;
            Await.until("it is answered", () -> raw.got(ClientMessage.Registered.class).count() + raw.got(ClientMessage.Refused.class).count() == answered);
            refused = (int) raw.got(ClientMessage.Refused.class).count();
        }
        assertThat(refused).isOne();
        assertThat(raw.got(ClientMessage.Refused.class)).allMatch(each -> each.reason().contains("memory"));
        assertThat(number("client-kept-bytes")).isLessThanOrEqualTo(QUARTER);
        for (int i = 1; i < 4_000; i++) {
            raw.send(new ClientMessage.Withdraw(raw.id(i)));
        }
        Await.until("all memory is free", () -> number("client-kept-bytes") == 0);
    }

    @Test
    void anAnswerThatIsTooLargeSaysSo() {
        RawClient raw = raw().reading();
        raw.send(new ClientMessage.Register(RawClient.entry(raw.id(1), Entry.Kind.PRODUCER, 1, "a/#"), 1_000));
        Await.until("it is there", () -> raw.got(ClientMessage.Registered.class).count() == 1);
        Producer own = grid.produce(ProducerOptions.of("own", "a/#").history(100));
        for (int i = 0; i < 40; i++) {
            own.publish("a/b", Body.of(new byte[400_000]));
        }
        raw.send(new ClientMessage.Ask(1, Filter.ALL, Long.MIN_VALUE, Long.MAX_VALUE, false, 10_000));
        Await.until("it is answered", () -> raw.got(ClientMessage.Measurements.class).count() == 1);
        assertThat(raw.got(ClientMessage.Measurements.class)).allMatch(each -> !each.answer().isComplete());
        assertThatIllegalArgumentException().isThrownBy(() -> Mediator.on(grid).memory(1 << 20)).withMessageContaining("memory");
    }
}
