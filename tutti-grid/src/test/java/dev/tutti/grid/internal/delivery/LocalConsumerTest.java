package dev.tutti.grid.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Threads;
import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.testing.Await;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LocalConsumerTest {

    private static final LocalConsumer.Caller DIRECT = new LocalConsumer.Caller() {
        @Override
        public <T extends Object> void call(String callback, Consumer<? super T> method, T argument) {
            method.accept(argument);
        }
    };

    private final ConsumerCounters counters = new ConsumerCounters();
    private final Semaphore begun = new Semaphore(0);
    private final Semaphore mayReturn = new Semaphore(0);

    private LocalConsumer consumer(String id) {
        SubscriptionOptions options = SubscriptionOptions.of(id, Filter.ALL);
        Entry entry = new Entry(id, Entry.Kind.CONSUMER, id, "", "n1", "", options.filters(), "", "", -1, 1, Map.of());
        MeasurementListener listener = new MeasurementListener() {
            @Override
            public void onMeasurement(Measurement measurement) {
                begun.release();
                mayReturn.acquireUninterruptibly();
            }

            @Override
            public void onGap(Gap gap) {}
        };
        return new LocalConsumer(new Threads() {}, DIRECT, entry, options, listener, null, counters, closed -> {});
    }

    private static void offer(LocalConsumer consumer, int count) {
        for (int number = 1; number <= count; number++) {
            consumer.offer(new Measurement("p", number, Topic.of("a"), Map.of(), Instant.EPOCH, ClockQuality.UNKNOWN, Body.of(number)));
        }
    }

    @Test
    void numbersStayWhenAConsumerIsClosedAndHaveWhatWaitedForIt() throws InterruptedException {
        LocalConsumer closed = consumer("closed");
        LocalConsumer other = consumer("other");
        offer(closed, 3);
        begun.acquire();
        Thread closing = Thread.ofVirtual().start(closed::close);
        Await.until("what waits is dropped", () -> closed.waitingBytes() == 0);
        mayReturn.release();
        closing.join();
        offer(closed, 1);
        mayReturn.release(2);
        offer(other, 2);
        begun.acquire(2);
        other.close();
        assertThat(counters.all()).isEqualTo(Map.of("delivered", 3L, "undelivered", 2L, "repeated", 0L, "late", 0L));
        assertThat(List.of(closed.waitingBytes(), other.waitingBytes())).containsOnly(0L);
    }
}
