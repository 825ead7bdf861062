package dev.tutti.grid.member;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Subscription;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.sites.Sites;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Component of the tests: a member of the grid with a producer of numbers, and consumers that remember what they got. */
final class Station {

    private final Node node;
    private final @Nullable Sites sites;
    private final GridMember grid;
    private final Producer producer;
    private final List<Measurement> got = new ArrayList<>();
    private final List<Gap> gaps = new ArrayList<>();
    private final List<Integer> gotBeforeGaps = new ArrayList<>();
    private @Nullable Subscription subscription;
    private int published;

    Station(Node node) {
        this(node, null, GridMember.on(node));
    }

    Station(Node node, String site, Supplier<NodeBuilder> bridge) {
        this(node, site, bridge, options -> options);
    }

    Station(Node node, String site, Supplier<NodeBuilder> bridge, UnaryOperator<GridBuilder> options) {
        this(node, Sites.on(node).site(site).bridge(bridge).open(), options);
    }

    private Station(Node node, Sites sites, UnaryOperator<GridBuilder> options) {
        this(node, sites, options.apply(GridMember.on(sites)));
    }

    Station(Node node, @Nullable Sites sites, GridBuilder options) {
        this.node = node;
        this.sites = sites;
        this.grid = options.join();
        this.producer = grid.produce(ProducerOptions.of("p", "hosts/" + node.name() + "/#").history(1_000));
    }

    void publish() {
        published++;
        producer.publish(
                Topic.of("hosts/" + node.name() + "/load"), Map.of("parity", published % 2 == 0 ? "even" : "odd"), Body.of(published));
    }

    void subscribe(Filter... filters) {
        subscribe(got::add, filters);
    }

    void subscribe(MeasurementListener listener, Filter... filters) {
        subscription = grid.subscribe(SubscriptionOptions.of("c", filters), new MeasurementListener() {
            @Override
            public void onMeasurement(Measurement measurement) {
                listener.onMeasurement(measurement);
            }

            @Override
            public void onGap(Gap gap) {
                gaps.add(gap);
                gotBeforeGaps.add(got.size());
            }
        });
    }

    Node node() {
        return node;
    }

    /** Returns the number of sites that are up, as this member sees it. */
    int sitesUp() {
        return sites == null ? 0 : sites.view().up().size();
    }

    GridMember grid() {
        return grid;
    }

    Producer producer() {
        return producer;
    }

    Subscription subscription() {
        return java.util.Objects.requireNonNull(subscription);
    }

    int published() {
        return published;
    }

    List<Measurement> got() {
        return got;
    }

    List<Gap> gaps() {
        return gaps;
    }

    /** Returns the number of gaps that were told before any value of {@code value} or more came from another node. */
    long gapsBefore(int value) {
        long first = 0;
        while (first < got.size() && (isOwn(got.get((int) first)) || ((Body.Number) got.get((int) first).body()).value() < value)) {
            first++;
        }
        long end = first;
        return gotBeforeGaps.stream().filter(before -> before <= end).count();
    }

    private boolean isOwn(Measurement measurement) {
        return measurement.producer().equals(producer.entry().id());
    }

    /** Returns the values that came from each producer, in order. */
    Map<String, List<Integer>> byProducer() {
        Map<String, List<Integer>> values = new TreeMap<>();
        for (Measurement each : got) {
            values.computeIfAbsent(each.producer(), key -> new ArrayList<>()).add((int) ((Body.Number) each.body()).value());
        }
        return values;
    }
}
