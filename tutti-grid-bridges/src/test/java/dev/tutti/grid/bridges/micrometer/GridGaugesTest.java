package dev.tutti.grid.bridges.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Producer;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.bridges.Site;
import dev.tutti.testing.Await;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GridGaugesTest {

    private static final SubscriptionOptions HOSTS = SubscriptionOptions.of("gauges", Filter.topic("hosts/#"));

    private final Site site = new Site();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicLong nanos = new AtomicLong();
    private final GridGauges gauges = GridGauges.show(site.grid(), registry, HOSTS, nanos::get, 3);
    private final Producer producer = site.producer();

    @AfterEach
    void close() {
        gauges.close();
        site.close();
    }

    private Gauge await(String name, double value) {
        Await.until(name, () -> registry.find(name).gauges().stream().anyMatch(gauge -> gauge.value() == value));
        return registry.find(name).gauge();
    }

    @Test
    void numbersAreGauges() {
        producer.publish(Topic.of("hosts/web1/cpu/load"), Map.of("zone", "a"), Body.of(0.5, "1"));
        Gauge gauge = await("hosts.cpu.load", 0.5);
        assertThat(gauge.getId().getTag("host")).isEqualTo("web1");
        assertThat(gauge.getId().getTag("zone")).isEqualTo("a");
        producer.publish(Topic.of("hosts/web1/cpu/load"), Map.of("zone", "a"), Body.of(0.75, "1"));
        assertThat(await("hosts.cpu.load", 0.75)).isSameAs(gauge);
    }

    @Test
    void partsOfValuesAreGaugesAndTextsAreNot() {
        producer.publish("hosts/web1/state", Body.of("fine"));
        producer.publish("hosts/web1/disk", new Body.Values(Map.of("used", Body.of(1), "name", Body.of("sda"))));
        await("hosts.disk.used", 1);
        producer.publish("hosts/web1/sizes", new Body.Histogram(List.of(1.0), List.of(2L, 3L), 9, "By"));
        await("hosts.sizes.sum", 9);
        await("hosts.sizes.count", 5);
        assertThat(gauges.size()).isEqualTo(3);
    }

    @Test
    void moreGaugesThanPossibleAreCounted() {
        for (int i = 1; i <= 5; i++) {
            producer.publish("hosts/web" + i + "/load", Body.of(i));
        }
        Await.until("two are refused", () -> gauges.unshown() == 2);
        assertThat(gauges.size()).isEqualTo(3);
        // Those that are not renewed make room.
        nanos.addAndGet(Duration.ofMinutes(6).toNanos());
        producer.publish("hosts/web9/load", Body.of(9));
        await("hosts.load", 9);
        assertThat(gauges.size()).isEqualTo(1);
    }

    @Test
    void aMeterOfAnotherKindStays() {
        registry.counter("hosts.load", "host", "web1").increment();
        producer.publish("hosts/web1/load", Body.of(1));
        producer.publish("hosts/web1/rest", Body.of(2));
        await("hosts.rest", 2);
        assertThat(gauges.unshown()).isEqualTo(1);
        assertThat(registry.get("hosts.load").counter().count()).isEqualTo(1);
    }

    @Test
    void closingRemovesThem() {
        producer.publish("hosts/web1/load", Body.of(1));
        await("hosts.load", 1);
        gauges.close();
        gauges.close();
        assertThat(registry.getMeters()).isEmpty();
    }
}
