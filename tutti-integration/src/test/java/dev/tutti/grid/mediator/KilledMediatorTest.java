package dev.tutti.grid.mediator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.grid.Answer;
import dev.tutti.grid.Body;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.member.GridMember;
import dev.tutti.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Mediators as processes that are killed and paused, while a client publishes, listens, and asks. */
@Tag("slow")
class KilledMediatorTest {

    private static final Duration DEADLINE = Duration.ofSeconds(40);

    private final Queue<Measurement> atMember = new ConcurrentLinkedQueue<>();
    private final Queue<Measurement> atClient = new ConcurrentLinkedQueue<>();
    private final Queue<Gap> gaps = new ConcurrentLinkedQueue<>();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private Node node;
    private GridMember grid;
    private MediatorProcess first;
    private MediatorProcess second;
    private GridClient client;
    private Producer producer;
    private Producer host;
    private long published;

    @BeforeEach
    void open() throws Exception {
        node = Node.tcp(0).name("n1").start();
        grid = GridMember.on(node).timeout(Duration.ofSeconds(30)).join();
        first = MediatorProcess.start("m1", node.address().toString());
        second = MediatorProcess.start("m2", node.address().toString());
        client = GridClient.of(first.url(), second.url()).inOrder().open();
        producer = client.produce(ProducerOptions.of("sensor", "sensors/#"));
        host = grid.produce(ProducerOptions.of("host", "hosts/#"));
        grid.subscribe(SubscriptionOptions.of("m", Filter.topic("sensors/#")), atMember::add);
        client.subscribe(SubscriptionOptions.of("c", Filter.topic("hosts/#")), new MeasurementListener() {
            @Override
            public void onMeasurement(Measurement measurement) {
                atClient.add(measurement);
            }

            @Override
            public void onGap(Gap gap) {
                gaps.add(gap);
            }
        });
        Await.until("all are there", () -> entries().size() == 4);
        Await.until("measurements flow both ways", () -> {
            publish();
            return !atMember.isEmpty() && !atClient.isEmpty();
        });
    }

    @AfterEach
    void close() {
        client.close();
        first.close();
        second.close();
        grid.close();
        node.close();
    }

    private List<Entry> entries() {
        return grid.find(Query.ALL).items();
    }

    private void publish() {
        published++;
        producer.publish("sensors/1", Body.of(published));
        host.publish("hosts/1", Body.of(published));
    }

    /** Publishes, and checks that no entry is missing meanwhile. */
    private boolean isAtSecond() {
        publish();
        List<Entry> found = entries();
        if (found.size() != 4) {
            wrong.add(found.size() + " entries: " + found);
        }
        return found.stream().filter(each -> each.registration() == 2 && each.node().equals("m2")).count() == 2;
    }

    /** Checks that each measurement of the client has come, and that the client was told of those that it may not have got. */
    private void checkNumbers() {
        long last = published;
        Await.until("the last one comes", () -> atMember.stream().anyMatch(each -> each.sequence() >= last));
        List<Long> numbers = new ArrayList<>(atMember.stream().map(Measurement::sequence).toList());
        assertThat(numbers).isEqualTo(LongStream.rangeClosed(numbers.getFirst(), last).boxed().toList());
        assertThat(client.status()).containsEntry("unsent", 0L);
        assertThat(wrong).isEmpty();
        assertThat(gaps).isNotEmpty().allMatch(gap -> gap.reason().contains("mediator"));
        assertThat(atClient.stream().map(Measurement::sequence).toList()).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void entriesStayWhenAMediatorIsKilled() throws Exception {
        Queue<Answer<Entry>> answers = new ConcurrentLinkedQueue<>();
        Thread asking = Thread.ofVirtual().start(() -> {
            for (int i = 0; i < 20; i++) {
                answers.add(client.find(Query.PRODUCERS.within(DEADLINE)));
            }
        });
        first.kill();
        Await.until("all is at the second mediator", this::isAtSecond);
        asking.join();
        assertThat(answers).hasSize(20).allMatch(answer -> answer.isComplete() && answer.items().size() == 2);
        checkNumbers();
    }

    @Test
    void entriesStayWhenAMediatorIsPaused() throws Exception {
        first.signal("STOP");
        Await.until("all is at the second mediator", this::isAtSecond);
        Await.until("the paused one is not in the group", () -> grid.status().get("entries-orphaned") == 0);
        first.signal("CONT");
        // The one that was paused is back when its mediator answers what the group knows.
        Await.until("it is back, or says that it is not", () -> {
            publish();
            return MediatorHealth.isDecided(first.url(), 4);
        });
        List<Entry> found = entries();
        assertThat(found).hasSize(4).filteredOn(each -> each.id().startsWith("client-")).allMatch(each -> each.registration() == 2 && each.node().equals("m2"));
        checkNumbers();
    }
}
