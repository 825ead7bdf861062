package dev.tutti.bench.paths;

import dev.tutti.bench.BenchException;
import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.Subscription;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** End of a grid: a producer, and a consumer of the answers. Contents are bodies of measurements. */
final class GridEnd implements End {

    static final String ASKED = "paths/asked/";
    static final String ANSWERED = "paths/answered/";

    private static final long ANSWER_SECONDS_MAX = 20;
    private static final long CONNECT_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_NANOS = 20_000_000;

    private final Producer producer;
    private final Subscription subscription;
    private final Topic topic;
    private final @Nullable Posts posts;

    /** @param posts posts contents instead of publishing them; null for none */
    GridEnd(Grid grid, int source, @Nullable Posts posts, Arrivals arrivals) {
        this.topic = Topic.of(ASKED + source);
        this.posts = posts;
        this.producer = grid.produce(ProducerOptions.of("source-" + source, topic.path()));
        this.subscription = grid.subscribe(SubscriptionOptions.of("source-" + source, Filter.topic(ANSWERED + source)), listener(arrivals, (_, _) -> {}));
    }

    private static int source(Measurement measurement) {
        String path = measurement.topic().path();
        return Integer.parseInt(path, path.lastIndexOf('/') + 1, path.length(), 10);
    }

    private static byte[] content(Measurement measurement) {
        return measurement.body() instanceof Body.Bytes raw ? raw.bytes() : new byte[0];
    }

    /** Sends back to a source. */
    interface Back {
        void send(int source, byte[] content);
    }

    static MeasurementListener listener(Arrivals arrivals, Back back) {
        return new MeasurementListener() {
            @Override
            public void onMeasurement(Measurement measurement) {
                int source = source(measurement);
                arrivals.onContent(source, content(measurement), answer -> back.send(source, answer));
            }

            @Override
            public void onGap(Gap gap) {
                arrivals.onGap(gap.count());
            }
        };
    }

    static void publish(Producer producer, @Nullable Posts posts, Topic topic, byte[] content) {
        if (posts != null) {
            posts.post(topic.path(), content);
        } else {
            // A body is kept as it is; the caller changes the content.
            producer.publish(topic, Map.of(), Body.of(content.clone()));
        }
    }

    /** Waits until the other end's consumer is known here. */
    void awaitConnected(Grid grid) {
        awaitConnected(grid, producer, topic.path(), topic);
    }

    /** Waits until a consumer is registered whose topics {@code pattern} chooses, and the producer knows that its topic is wanted. */
    static void awaitConnected(Grid grid, Producer producer, String pattern, Topic topic) {
        long begun = System.nanoTime();
        while (grid.find(Query.CONSUMERS.on(pattern)).items().isEmpty() || !producer.isWanted(topic)) {
            if (System.nanoTime() - begun > CONNECT_NANOS_MAX) {
                throw new BenchException("no consumer of " + pattern + " is registered; the grid says " + grid.status());
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    @Override
    public void send(byte[] content) {
        publish(producer, posts, topic, content);
    }

    @Override
    public void flush() {
        // It is sent.
    }

    @Override
    public boolean await(Semaphore permits, int count) {
        try {
            return permits.tryAcquire(count, ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        subscription.close();
        producer.close();
    }
}
