package dev.tutti.grid.mediator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.tutti.Node;
import dev.tutti.grid.Body;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.Subscription;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.member.GridMember;
import dev.tutti.testing.Await;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that use a grid in ways that nobody recommends, at a member and through a mediator. */
@Order(2)
class CarelessUserTest {

    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

    private Node node;
    private GridMember member;
    private Mediator mediator;
    private GridClient client;

    @BeforeEach
    void open() {
        node = Node.tcp(0).name("n1").start();
        member = GridMember.on(node).timeout(Duration.ofSeconds(30)).join();
        mediator = Mediator.on(member).port(0).open();
        client = GridClient.of(mediator.url()).open();
    }

    @AfterEach
    void close() {
        client.close();
        mediator.close();
        member.close();
        node.close();
    }

    private Grid grid(boolean isClient) {
        return isClient ? client : member;
    }

    /** Returns a producer that some consumers are known for already. */
    private Producer heard(int consumers) {
        Await.until("the consumers are registered", () -> member.find(Query.CONSUMERS).items().size() == consumers);
        return member.produce(ProducerOptions.of("p", "a/#"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void deadlinesMayBeAsLongAsADurationIs(boolean isClient) {
        Grid grid = grid(isClient);
        assertThat(grid.find(Query.ALL.within(FOR_EVER)).missing()).isEmpty();
        assertThat(grid.latest(Filter.ALL, FOR_EVER).missing()).isEmpty();
        assertThat(grid.history(Filter.ALL, Instant.EPOCH, Instant.MAX.minusSeconds(1), FOR_EVER).missing()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aListenerThatThrowsAnErrorGetsTheNextMeasurement(boolean isClient) {
        Queue<Measurement> got = new ConcurrentLinkedQueue<>();
        grid(isClient).subscribe(SubscriptionOptions.of("c", Filter.ALL), measurement -> {
            got.add(measurement);
            throw new StackOverflowError("of a listener");
        });
        Producer producer = heard(1);
        producer.publish("a/b", Body.of(1));
        producer.publish("a/b", Body.of(2));
        Await.until("both have come", () -> got.size() == 2);
        Await.until("both are counted", () -> grid(isClient).status().get("listener-failures") == 2);
        assertThat(member.find(Query.CONSUMERS).items()).hasSize(1);
        assertThat(member.status()).containsEntry("joined", 1L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void listenersMayCallTheGrid(boolean isClient) {
        Grid grid = grid(isClient);
        Queue<Entry> found = new ConcurrentLinkedQueue<>();
        Queue<Measurement> later = new ConcurrentLinkedQueue<>();
        AtomicReference<Subscription> own = new AtomicReference<>();
        CountDownLatch isSet = new CountDownLatch(1);
        own.set(grid.subscribe(SubscriptionOptions.of("c", Filter.ALL), measurement -> {
            await(isSet);
            found.addAll(grid.find(Query.PRODUCERS).items());
            grid.subscribe(SubscriptionOptions.of("later", Filter.ALL), later::add);
            own.get().close();
            own.get().close();
        }));
        isSet.countDown();
        Producer producer = heard(1);
        producer.publish("a/b", Body.of(1));
        Await.until("the new consumer gets some", () -> {
            producer.publish("a/b", Body.of(2));
            return !later.isEmpty();
        });
        assertThat(found).extracting(Entry::name).containsExactly("p");
        // The listener closes its own consumer after it has made the new one.
        List<String> left = List.of("later");
        Await.until("only the new one is left", () -> member.find(Query.CONSUMERS).items().stream().map(Entry::name).toList().equals(left));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Two listeners that close the grid at the same time would wait for each other. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void listenersMayCloseTheGridTogether(boolean isClient) {
        CyclicBarrier together = new CyclicBarrier(2);
        CountDownLatch closed = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            grid(isClient).subscribe(SubscriptionOptions.of("c" + i, Filter.ALL), measurement -> {
                try {
                    together.await(60, TimeUnit.SECONDS);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
                grid(isClient).close();
                closed.countDown();
            });
        }
        heard(2).publish("a/b", Body.of(1));
        await(closed);
        assertThatIllegalStateException().isThrownBy(() -> grid(isClient).produce(ProducerOptions.of("p", "a")));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aListenerThatNeverReturnsDoesNotKeepTheGridFromClosing(boolean isClient) {
        CountDownLatch isBusy = new CountDownLatch(1);
        CountDownLatch isOver = new CountDownLatch(1);
        grid(isClient).subscribe(SubscriptionOptions.of("c", Filter.ALL), measurement -> {
            isBusy.countDown();
            await(isOver);
        });
        heard(1).publish("a/b", Body.of(1));
        await(isBusy);
        CountDownLatch isClosed = new CountDownLatch(1);
        Thread.ofVirtual().start(() -> {
            grid(isClient).close();
            isClosed.countDown();
        });
        await(isClosed);
        isOver.countDown();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClosedGridSaysThatItIsClosed(boolean isClient) {
        Grid grid = grid(isClient);
        Producer producer = grid.produce(ProducerOptions.of("p", "a/#"));
        Subscription subscription = grid.subscribe(SubscriptionOptions.of("c", Filter.ALL), measurement -> {});
        producer.close();
        producer.close();
        subscription.close();
        subscription.close();
        assertThatIllegalStateException().isThrownBy(() -> producer.publish("a/b", Body.of(1))).withMessageContaining("closed");
        producer.load(0.5);
        grid.close();
        grid.close();
        assertThatIllegalStateException().isThrownBy(() -> grid.produce(ProducerOptions.of("p", "a"))).withMessageContaining("closed");
        assertThatIllegalStateException()
                .isThrownBy(() -> grid.subscribe(SubscriptionOptions.of("c", Filter.ALL), measurement -> {}))
                .withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(() -> grid.find(Query.ALL.within(FOR_EVER))).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(() -> grid.latest(Filter.ALL, FOR_EVER)).withMessageContaining("closed");
    }

    @Test
    void questionsThatWaitEndWhenTheClientIsClosed() throws InterruptedException {
        GridClient lonely = GridClient.of(URI.create("http://127.0.0.1:1")).open();
        CountDownLatch isOver = new CountDownLatch(1);
        Queue<String> missing = new ConcurrentLinkedQueue<>();
        Thread asking = Thread.ofVirtual().start(() -> {
            missing.addAll(lonely.find(Query.ALL.within(Duration.ofMinutes(30))).missing());
            isOver.countDown();
        });
        Await.until("it waits", () -> asking.getState() == Thread.State.TIMED_WAITING);
        lonely.close();
        await(isOver);
        assertThat(missing).hasSize(1).first().asString().contains("closed");
    }

    @Test
    void aClientWithoutAMediatorSaysWhy() {
        try (GridClient lonely = GridClient.of(URI.create("http://127.0.0.1:1")).open()) {
            lonely.produce(ProducerOptions.of("p", "a/#")).publish("a/b", Body.of(1));
            Await.until("it says why", () -> lonely.find(Query.ALL.within(Duration.ofMillis(50))).missing().toString().contains("127.0.0.1:1"));
            assertThat(lonely.isConnected()).isFalse();
            assertThat(lonely.status()).containsEntry("connections", 0L);
        }
    }

    @Test
    void tokensAndAddressesThatCanNotBeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GridClient.of(mediator.url()).token("0123456789\nabcdef"))
                .withMessageContaining("token");
        assertThatIllegalArgumentException().isThrownBy(() -> GridClient.of(URI.create("http://127.0.0.1:99999"))).withMessageContaining("99999");
        assertThatIllegalArgumentException().isThrownBy(() -> GridClient.of(URI.create("http://user:word@127.0.0.1:1")));
        assertThatIllegalArgumentException().isThrownBy(() -> GridClient.of(mediator.url()).proxy("proxy.example", 99_999)).withMessageContaining("99999");
        assertThatIllegalArgumentException().isThrownBy(() -> Mediator.on(member).history(2_000_000)).withMessageContaining("2000000");
        try (GridClient pasted = GridClient.of(mediator.url()).token(" 0123456789abcdef\n").open()) {
            Await.until("the blanks do not matter", pasted::isConnected);
        }
    }

    /** A mediator keeps the load of a producer, as an entry of a client that comes back has it. */
    @Test
    void theLoadOfAProducerOutlastsItsMediator() {
        Producer producer = client.produce(ProducerOptions.of("p", "a/#"));
        producer.load(0.5);
        Await.until("it is known", () -> member.find(Query.PRODUCERS).items().stream().anyMatch(each -> each.load() == 0.5));
        int port = mediator.port();
        mediator.close();
        mediator = Mediator.on(member).port(port).open();
        Await.until("it is known again", () -> member.find(Query.PRODUCERS).items().stream()
                .anyMatch(each -> each.registration() == 2 && each.load() == 0.5));
    }
}
