package dev.tutti.grid.mediator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Answer;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.ServerOptions;
import dev.tutti.grid.Subscription;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.internal.door.Doorkeeper;
import dev.tutti.internal.door.Places;
import dev.tutti.testing.Await;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests that never end, and requests whose clients do not wait for the answer. */
class FloodTest {

    private static final String FIND = "GET /v1/find HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private final SlowGrid grid = new SlowGrid();
    private final Service service = new Service(
            new MediatorSettings(grid, null, "n1", () -> "", Duration.ofSeconds(20), 8L << 20, 10, 32L << 20),
            null,
            new Doorkeeper("mediator", "grid", ServerOptions.port(0)),
            new MediatorCounters(),
            Map::of);
    private final Places places = new Places(1_000, 1_000);
    private final List<EmbeddedChannel> channels = new ArrayList<>();

    /** A grid whose other sites do not answer. */
    private static final class SlowGrid implements Grid {

        private final CountDownLatch isOver = new CountDownLatch(1);
        private final AtomicInteger asked = new AtomicInteger();

        @Override
        public String site() {
            return "";
        }

        @Override
        public Producer produce(ProducerOptions options) {
            throw new IllegalStateException("not here");
        }

        @Override
        public Subscription subscribe(SubscriptionOptions options, MeasurementListener listener) {
            throw new IllegalStateException("not here");
        }

        @Override
        public Answer<Entry> find(Query query) {
            asked.incrementAndGet();
            try {
                isOver.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            asked.decrementAndGet();
            return new Answer<>(List.of(), List.of());
        }

        @Override
        public Answer<Measurement> latest(Filter filter, Duration deadline) {
            throw new IllegalStateException("not here");
        }

        @Override
        public Answer<Measurement> history(Filter filter, Instant from, Instant to, Duration deadline) {
            throw new IllegalStateException("not here");
        }

        @Override
        public Map<String, Long> status() {
            return Map.of();
        }

        @Override
        public void close() {
            isOver.countDown();
        }
    }

    @AfterEach
    void close() {
        grid.close();
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    private EmbeddedChannel connect() {
        EmbeddedChannel channel = new EmbeddedChannel();
        Intake intake = new Intake(service.receiving(), service.counters(), channel);
        channel.pipeline()
                .addLast(
                        intake,
                        new HttpServerCodec(),
                        new HttpObjectAggregator(Service.BODY_BYTES_MAX, true),
                        new Front(service, Objects.requireNonNull(places.enter(null, channel::close)), intake));
        channels.add(channel);
        return channel;
    }

    private static void send(EmbeddedChannel channel, String text) {
        channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
    }

    private static String answer(EmbeddedChannel channel) {
        StringBuilder all = new StringBuilder();
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            all.append(part.toString(StandardCharsets.UTF_8));
            part.release();
        }
        return all.toString();
    }

    @Test
    void clientsThatDoNotWaitForTheirAnswersDoNotMakeRoomForMore() {
        for (int i = 1; i <= 64; i++) {
            EmbeddedChannel channel = connect();
            send(channel, FIND);
            int count = i;
            Await.until("it is asked", () -> grid.asked.get() == count);
            channel.close();
        }
        EmbeddedChannel further = connect();
        send(further, FIND);
        assertThat(answer(further)).startsWith("HTTP/1.1 503").contains("too many requests");
        assertThat(grid.asked.get()).isEqualTo(64);
        grid.close();
        Await.until("all are answered", () -> service.requests().availablePermits() == 64);
    }

    @Test
    void aRequestThatComesByteByByteEndsInTime() {
        EmbeddedChannel channel = connect();
        channel.freezeTime();
        for (int second = 0; second < 9; second++) {
            send(channel, FIND.substring(second, second + 1));
            channel.advanceTimeBy(1, TimeUnit.SECONDS);
            channel.runScheduledPendingTasks();
            assertThat(channel.isOpen()).isTrue();
        }
        channel.advanceTimeBy(2, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        assertThat(service.receiving().usedBytes()).isZero();
    }

    @Test
    void aBodyThatIsTooLargeIsRefusedBeforeItHasCome() {
        EmbeddedChannel channel = connect();
        channel.freezeTime();
        send(channel, "POST /v1/publish HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000000\r\n\r\n");
        assertThat(answer(channel)).startsWith("HTTP/1.1 413");
        channel.advanceTimeBy(11, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.isOpen()).isFalse();
    }
}
