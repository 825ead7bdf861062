package dev.tutti.grid.bridges.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.bridges.SendOptions;
import dev.tutti.grid.bridges.SeriesNames;
import dev.tutti.grid.ServerOptions;
import dev.tutti.grid.bridges.Site;
import dev.tutti.grid.mediator.Mediator;
import dev.tutti.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real Prometheus: it finds targets through a mediator, scrapes the page, and takes remote write. */
@Tag("slow")
class RealPrometheusTest {

    @Test
    void targetsComeAndGoWithTheirProducersAndThePageIsScraped(@TempDir Path directory) throws Exception {
        SeriesNames names = SeriesNames.defaults().withoutProducer();
        try (Site site = new Site();
                Mediator mediator = Mediator.on(site.grid()).port(0).open();
                PrometheusPage page = PrometheusPage.open(
                        site.grid(), SubscriptionOptions.of("page", Filter.topic("hosts/#")), ServerOptions.port(0), names);
                PrometheusProcess prometheus = new PrometheusProcess(directory, """
                        global:
                          scrape_interval: 1s
                        scrape_configs:
                          - job_name: grid
                            http_sd_configs:
                              - url: http://127.0.0.1:%d/v1/targets
                                refresh_interval: 1s
                        """.formatted(mediator.port()))) {
            Producer numbers = site.producer();
            numbers.publish(Topic.of("hosts/web1/load"), Map.of("odd", "a\"b\\c\nd"), Body.of(0.25));
            numbers.publish("hosts/web1/sizes", new Body.Histogram(List.of(1.0), List.of(2L, 3L), 9, "By"));
            try (Producer shop = site.grid().produce(ProducerOptions.of("shop", "shop/#").address(page.url().toString()).with("prometheus", "true"))) {
                Await.until("the target is up", () -> prometheus.producersUp().equals(List.of("shop")));
                Await.until("the number is scraped", () -> prometheus.query("hosts_load{host=\"web1\",odd=\"a\\\"b\\\\c\\nd\"}").equals(List.of("0.25")));
                assertThat(prometheus.query("histogram_quantile(0.2, hosts_sizes_bucket)")).hasSize(1);
                assertThat(shop.entry().name()).isEqualTo("shop");
            }
            Await.until("the target is gone", () -> prometheus.producersUp().isEmpty());
        }
    }

    @Test
    void remoteWriteIsTaken(@TempDir Path directory) throws Exception {
        try (Site site = new Site();
                PrometheusProcess prometheus = new PrometheusProcess(directory, "global: {}\n");
                RemoteWrite write = RemoteWrite.open(
                        site.grid(),
                        SubscriptionOptions.of("write", Filter.topic("hosts/#")),
                        SendOptions.to(prometheus.writeUrl()).interval(Duration.ofMillis(50)))) {
            Producer numbers = site.producer();
            // More than one piece of Snappy.
            for (int i = 0; i < 900; i++) {
                numbers.publish(Topic.of("hosts/web" + i + "/load"), Map.of("number", "n" + i), Instant.now(), Body.of(i));
            }
            numbers.publish("hosts/web1/sizes", new Body.Histogram(List.of(1.0), List.of(2L, 3L), 9, "By"));
            Await.until(() -> "all is written, not " + write.status(), () -> write.status().get("sent") == 904);
            Await.until("all is found", () -> prometheus.query("count(hosts_load)").equals(List.of("900")));
            assertThat(prometheus.query("hosts_load{host=\"web7\",number=\"n7\"}")).containsExactly("7");
            assertThat(prometheus.query("sum(hosts_load)")).containsExactly(Integer.toString(899 * 900 / 2));
            assertThat(prometheus.query("hosts_sizes_bucket{le=\"+Inf\"}")).containsExactly("5");
            assertThat(write.status()).containsEntry("dropped", 0L).containsEntry("missing", 0L);
        }
    }
}
