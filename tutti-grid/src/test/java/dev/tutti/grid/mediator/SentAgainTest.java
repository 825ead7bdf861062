package dev.tutti.grid.mediator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.member.GridMember;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A client whose mediator goes with measurements that it has taken: consumers with selectors could not see by their numbers that some are
 * missing.
 */
class SentAgainTest {

    private final Queue<Measurement> atMember = new ConcurrentLinkedQueue<>();
    private final Queue<Measurement> atClient = new ConcurrentLinkedQueue<>();
    private Node node;
    private GridMember grid;
    private Mediator mediator;
    private Node secondNode;
    private GridMember secondGrid;
    private Mediator second;
    private DeafRelay relay;
    private GridClient client;
    private GridClient consumer;
    private Producer producer;

    @BeforeEach
    void open() throws IOException {
        node = Node.tcp(0).name("n1").start();
        grid = GridMember.on(node).join();
        mediator = Mediator.on(grid).port(0).open();
        relay = new DeafRelay(mediator.port());
        secondNode = Node.tcp(0).name("n2").seeds(node.address().toString()).start();
        secondGrid = GridMember.on(secondNode).join();
        second = Mediator.on(secondGrid).port(0).open();
        client = GridClient.of(relay.url(), second.url()).inOrder().open();
        consumer = GridClient.of(second.url()).open();
        Filter odd = Filter.topic("sensors/#").where("value > 0");
        grid.subscribe(SubscriptionOptions.of("m", odd), atMember::add);
        consumer.subscribe(SubscriptionOptions.of("c", odd), atClient::add);
        producer = client.produce(ProducerOptions.of("sensor", "sensors/#"));
        Await.until("all are there", () -> grid.find(Query.ALL).items().size() == 3 && secondGrid.find(Query.ALL).items().size() == 3);
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        consumer.close();
        relay.close();
        mediator.close();
        second.close();
        secondGrid.close();
        secondNode.close();
        grid.close();
        node.close();
    }

    /** Every other measurement is chosen. */
    private void publish(int from, int to) {
        for (int number = from; number <= to; number++) {
            producer.publish("sensors/1", Body.of(number % 2));
        }
    }

    private static List<Long> numbers(Queue<Measurement> got) {
        return got.stream().map(Measurement::sequence).toList();
    }

    private void awaitAll(long last) {
        Await.until("the last one has come", () -> numbers(atMember).contains(last) && numbers(atClient).contains(last));
    }

    @Test
    void whatTheMediatorHasNotPassedOnComesThroughTheNextOne() throws IOException {
        publish(1, 3);
        awaitAll(3);
        relay.ignoreClient();
        publish(4, 9);
        Await.until("all is sent", () -> client.status().get("sent") == 9);
        relay.close();
        publish(10, 11);
        awaitAll(11);
        assertThat(numbers(atMember)).containsExactly(1L, 3L, 5L, 7L, 9L, 11L);
        assertThat(numbers(atClient)).containsExactly(1L, 3L, 5L, 7L, 9L, 11L);
        assertThat(client.status()).containsEntry("unsent", 0L).containsEntry("unconfirmed-dropped", 0L);
        assertThat(client.status().get("sent-again")).isBetween(6L, 11L);
    }

    @Test
    void whatTheMediatorHasPassedOnIsToldOnce() throws IOException {
        Await.until("it is connected", client::isConnected);
        // The mediator's confirmations do not arrive.
        relay.ignoreMediator();
        publish(1, 5);
        awaitAll(5);
        relay.close();
        Await.until("it is at the second mediator", () -> client.status().get("connections") == 2);
        publish(6, 7);
        awaitAll(7);
        assertThat(numbers(atMember)).containsExactly(1L, 3L, 5L, 7L);
        assertThat(numbers(atClient)).containsExactly(1L, 3L, 5L, 7L);
        assertThat(client.status()).containsEntry("sent-again", 5L);
        assertThat(grid.status()).containsEntry("repeated", 3L);
        assertThat(consumer.status()).containsEntry("repeated", 3L);
    }

    @Test
    void whatIsConfirmedIsNotKept() {
        publish(1, 5);
        Await.until("all is confirmed", () -> client.status().get("sent") == 5 && client.status().get("unconfirmed-bytes") == 0);
    }
}
