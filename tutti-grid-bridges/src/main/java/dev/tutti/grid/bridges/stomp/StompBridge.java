package dev.tutti.grid.bridges.stomp;

import dev.tutti.Subscription;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.WhenFull;
import dev.tutti.grid.bridges.internal.Latest;
import dev.tutti.grid.bridges.internal.Sampler;
import dev.tutti.stomp.StompServerBuilder;
import dev.tutti.stomp.StompSource;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Clients of a STOMP server as producers and consumers, {@code StompServer.on(node).source("grid", StompBridge.of(grid))}: a SEND to {@code
 * /grid/topic/rooms/1/heat} publishes a measurement with the topic {@code rooms/1/heat}, and a SUBSCRIBE to {@code /grid/topic/rooms/**}
 * with {@code selector:value > 20} gets those that it chooses. {@code docs/operating/grid.md} has the headers.
 *
 * <p>It needs the module {@code dev.tutti.stomp}, which this module does not bring. Close the server first, and then the bridge.
 */
public final class StompBridge implements StompSource, AutoCloseable {

    /** Most producers, by name and topic. */
    static final int PRODUCERS_MAX = 1_000;

    private static final Duration EXPIRY = Duration.ofMinutes(10);
    private static final Duration LOOK = Duration.ofSeconds(10);
    private static final String TOPIC = "/topic/";
    private static final String REST = "/**";
    private static final String NAME = "stomp";

    private record Key(String name, String topic) {}

    private final Grid grid;
    private final int most;
    private final LongAdder published = new LongAdder();
    private final LongAdder delivered = new LongAdder();
    private final LongAdder missing = new LongAdder();
    private final Sampler clock;

    // Guarded by this.
    private final Latest<Key, Producer> producers;
    private boolean isClosed;

    StompBridge(Grid grid, int most, LongSupplier nanoTime) {
        this.grid = grid;
        this.most = most;
        this.producers = new Latest<>(most, EXPIRY, nanoTime, (_, producer) -> producer.close());
        this.clock = new Sampler("stomp-producers", LOOK, this::forget);
    }

    /** Makes a bridge, for {@link StompServerBuilder#source}. */
    public static StompBridge of(Grid grid) {
        return new StompBridge(grid, PRODUCERS_MAX, System::nanoTime);
    }

    private static String topic(String destination) {
        int end = destination.indexOf('/', 1);
        if (end < 0 || !destination.startsWith(TOPIC, end) || destination.length() == end + TOPIC.length()) {
            throw new IllegalArgumentException("there is nothing here; measurements are at "
                    + (end < 0 ? destination : destination.substring(0, end)) + "/topic/rooms/1/heat, for example");
        }
        return destination.substring(end + TOPIC.length());
    }

    // ------------------------------------------------------------------ producers

    @Override
    public void send(String destination, Map<String, String> headers, byte[] body) {
        Topic topic = Topic.of(topic(destination));
        producer(headers.getOrDefault("producer", NAME), topic)
                .publish(topic, StompForm.tags(headers), StompForm.time(headers), StompForm.body(headers, body));
        published.increment();
    }

    private synchronized Producer producer(String name, Topic topic) {
        Key key = new Key(name, topic.path());
        Producer known = producers.get(key);
        if (isClosed || known == null && producers.size() >= most) {
            throw new IllegalStateException(isClosed ? "the bridge is closed" : "clients of STOMP have " + most
                    + " producers, by name and topic, and no more are possible; those that send nothing for " + EXPIRY + " are withdrawn");
        }
        Producer producer = known == null ? grid.produce(ProducerOptions.of(name, topic.path()).type(NAME)) : known;
        producers.put(key, producer);
        return producer;
    }

    synchronized void forget() {
        producers.forget();
    }

    // ------------------------------------------------------------------ consumers

    @Override
    public Subscription subscribe(String destination, Map<String, String> headers, Receiver receiver) {
        String topic = topic(destination);
        String pattern = topic.equals("**") ? "#" : topic.endsWith(REST) ? topic.substring(0, topic.length() - REST.length()) + "/#" : topic;
        Filter filter = Filter.topic(pattern);
        for (Map.Entry<String, String> tag : StompForm.tags(headers).entrySet()) {
            filter = filter.with(tag.getKey(), tag.getValue());
        }
        String selector = headers.getOrDefault("selector", "");
        String prefix = destination.substring(0, destination.length() - topic.length());
        return grid.subscribe(
                SubscriptionOptions.of(headers.getOrDefault("consumer", NAME), selector.isEmpty() ? filter : filter.where(selector))
                        .queue(SubscriptionOptions.QUEUE_MIN, WhenFull.DROP_OLDEST),
                new Teller(prefix, receiver))::close;
    }

    private final class Teller implements MeasurementListener {

        private final String prefix;
        private final Receiver receiver;

        /** @param prefix prefix of the destinations of measurements */
        Teller(String prefix, Receiver receiver) {
            this.prefix = prefix;
            this.receiver = receiver;
        }

        @Override
        public void onMeasurement(Measurement measurement) {
            receiver.onMessage(prefix + measurement.topic(), StompForm.headers(measurement), StompForm.bytes(measurement.body()));
            delivered.increment();
        }

        @Override
        public void onGap(Gap gap) {
            missing.add(gap.count());
            Map<String, String> headers = Map.of(
                    "gap", Long.toString(gap.count()), "producer", gap.producer(), "reason", gap.reason().replaceAll("\\p{Cntrl}", "?"));
            receiver.onMessage(prefix.substring(0, prefix.length() - TOPIC.length()) + "/gap", headers, new byte[0]);
        }
    }

    /**
     * Returns the present numbers: {@code producers}, {@code published}, {@code delivered} to clients, {@code missing} because clients did
     * not read, as far as their number is known.
     */
    public synchronized Map<String, Long> status() {
        return new TreeMap<>(Map.of(
                "producers", (long) producers.size(),
                "published", published.sum(),
                "delivered", delivered.sum(),
                "missing", missing.sum()));
    }

    /** Withdraws the producers. Idempotent. */
    @Override
    public void close() {
        clock.close();
        synchronized (this) {
            if (!isClosed) {
                isClosed = true;
                producers.forEach((_, producer) -> producer.close());
            }
        }
    }
}
