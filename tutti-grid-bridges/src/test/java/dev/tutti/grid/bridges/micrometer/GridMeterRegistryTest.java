package dev.tutti.grid.bridges.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tutti.grid.Body;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.bridges.Site;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GridMeterRegistryTest {

    private static final Duration STEP = Duration.ofSeconds(10);

    private final Site site = new Site();
    private final MockClock clock = new MockClock();
    private final GridMeterRegistry registry =
            new GridMeterRegistry(site.grid(), ProducerOptions.of("shop", "jvms/shop/#"), "jvms/shop", STEP, clock);

    @AfterEach
    void close() {
        registry.close();
        site.close();
    }

    private void endStep() {
        clock.add(STEP);
        registry.publish();
    }

    @Test
    void gaugesAndCountersAreNumbers() {
        AtomicInteger waiting = new AtomicInteger(7);
        Gauge.builder("queue.waiting", waiting, AtomicInteger::get).baseUnit("bytes").tag("queue", "orders").register(registry);
        Counter orders = registry.counter("orders", "country", "de");
        orders.increment(3);
        endStep();
        Measurement gauge = site.await("jvms/shop/queue/waiting");
        assertThat(gauge.body()).isEqualTo(Body.of(7, "By"));
        assertThat(gauge.tags()).isEqualTo(Map.of("queue", "orders"));
        assertThat(gauge.time().toEpochMilli()).isEqualTo(clock.wallTime());
        Measurement counter = site.await("jvms/shop/orders");
        assertThat(counter.body()).isEqualTo(Body.of(3));
        assertThat(counter.tags()).isEqualTo(Map.of("country", "de", "temporality", "delta", "monotonic", "true"));
        endStep();
        // The second step has its own increase.
        assertThat(site.await("jvms/shop/orders", each -> each.sequence() > counter.sequence()).body()).isEqualTo(Body.of(0));
    }

    @Test
    void timersAreValues() {
        Timer timer = registry.timer("requests");
        timer.record(Duration.ofMillis(500));
        timer.record(Duration.ofMillis(1_500));
        endStep();
        assertThat(site.await("jvms/shop/requests").body())
                .isEqualTo(new Body.Values(Map.of("count", Body.of(2), "sum", Body.of(2, "s"), "max", Body.of(1.5, "s"))));
    }

    @Test
    void objectivesMakeHistogramsOfOneStep() {
        Timer timer = Timer.builder("requests").serviceLevelObjectives(Duration.ofMillis(100), Duration.ofSeconds(1)).register(registry);
        DistributionSummary summary = DistributionSummary.builder("sizes").baseUnit("bytes").serviceLevelObjectives(10, 100).register(registry);
        timer.record(Duration.ofMillis(50));
        timer.record(Duration.ofMillis(60));
        timer.record(Duration.ofSeconds(3));
        summary.record(50);
        endStep();
        Measurement first = site.await("jvms/shop/requests");
        assertThat(first.body()).isEqualTo(new Body.Histogram(List.of(0.1, 1.0), List.of(2L, 0L, 1L), 3.11, "s"));
        assertThat(site.await("jvms/shop/sizes").body()).isEqualTo(new Body.Histogram(List.of(10.0, 100.0), List.of(0L, 1L, 0L), 50, "By"));
        timer.record(500, TimeUnit.MILLISECONDS);
        endStep();
        assertThat(site.await("jvms/shop/requests", each -> each.sequence() > first.sequence() + 1).body())
                .isEqualTo(new Body.Histogram(List.of(0.1, 1.0), List.of(0L, 1L, 0L), 0.5, "s"));
    }

    @Test
    void longTaskTimersAndFunctionTimersAreValues() {
        registry.more().longTaskTimer("imports").start();
        registry.more().timer("lookups", List.of(), this, self -> 4, self -> 8, TimeUnit.SECONDS);
        endStep();
        assertThat(((Body.Values) site.await("jvms/shop/imports").body()).values()).containsEntry("active", Body.of(1)).containsKey("duration");
        assertThat(((Body.Values) site.await("jvms/shop/lookups").body()).values()).containsEntry("count", Body.of(4)).containsEntry("sum", Body.of(8, "s"));
    }

    @Test
    void aNameThatMakesNoTopicIsCountedAndOthersArePublished() {
        registry.gauge("x".repeat(300), 1);
        registry.gauge("a*#.b\n", 2);
        endStep();
        assertThat(site.await("jvms/shop/a__/b_").body()).isEqualTo(Body.of(2));
        assertThat(registry.unpublished()).isEqualTo(1);
        assertThat(registry.published()).isEqualTo(1);
    }

    @Test
    void closingPublishesTheStepThatHasBegun() {
        registry.counter("orders").increment(5);
        registry.close();
        assertThat(site.await("jvms/shop/orders").body()).isEqualTo(Body.of(5));
        site.awaitNoProducer("jvms/#");
    }

    @Test
    void itPublishesByItself() {
        GridMeterRegistry own = new GridMeterRegistry(site.grid(), "jvms/own", Duration.ofSeconds(1));
        own.counter("a");
        assertThat(site.await("jvms/own/a").body()).isEqualTo(Body.of(0));
        own.close();
    }

    @Test
    void optionsAreChecked() {
        assertThatIllegalArgumentException().isThrownBy(() -> new GridMeterRegistry(site.grid(), "jvms/*", STEP));
        assertThatIllegalArgumentException().isThrownBy(() -> new GridMeterRegistry(site.grid(), "jvms", Duration.ZERO));
    }
}
