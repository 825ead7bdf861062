package dev.tutti.grid.bridges;

import dev.tutti.Node;
import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.member.GridMember;
import dev.tutti.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/** A grid of one member, with a consumer that remembers everything, and a producer of anything. */
public final class Site implements AutoCloseable {

    private final Node node = Node.tcp(0).name("n1").start();
    private final GridMember grid = GridMember.on(node).timeout(Duration.ofSeconds(30)).join();
    private final ConcurrentLinkedQueue<Measurement> got = new ConcurrentLinkedQueue<>();

    public Site() {
        grid.subscribe(SubscriptionOptions.of("all", Filter.ALL), got::add);
    }

    public GridMember grid() {
        return grid;
    }

    public Node node() {
        return node;
    }

    /** Returns a producer of all topics. */
    public Producer producer() {
        return grid.produce(ProducerOptions.of("test", "#"));
    }

    public List<Measurement> got() {
        return List.copyOf(got);
    }

    /** Waits for the first measurement with a topic. */
    public Measurement await(String topic) {
        return await(topic, each -> true);
    }

    /** Waits for the first measurement with a topic that is as expected. */
    public Measurement await(String topic, Predicate<Measurement> expected) {
        Await.until(() -> topic + " as expected, among " + topics(), () -> find(topic, expected) != null);
        return find(topic, expected);
    }

    /** Waits until the registry has no producer with these topics any more; the store is told a moment later. */
    public void awaitNoProducer(String topics) {
        Await.until("no producer of " + topics, () -> grid.find(Query.PRODUCERS.on(topics)).items().isEmpty());
    }

    private Measurement find(String topic, Predicate<Measurement> expected) {
        return got.stream().filter(each -> each.topic().path().equals(topic) && expected.test(each)).findFirst().orElse(null);
    }

    private Map<String, Body> topics() {
        Map<String, Body> all = new TreeMap<>();
        got.forEach(each -> all.put(each.topic().path(), each.body()));
        return all;
    }

    @Override
    public void close() {
        grid.close();
        node.close();
    }
}
