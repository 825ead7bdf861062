package dev.tutti.grid.bridges.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Producer;
import dev.tutti.grid.Query;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.bridges.SeriesNames;
import dev.tutti.grid.ServerOptions;
import dev.tutti.grid.bridges.Site;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PrometheusPageTest {

    private static final SubscriptionOptions HOSTS = SubscriptionOptions.of("page", Filter.topic("hosts/#"));

    private final Site site = new Site();
    private final AtomicLong nanos = new AtomicLong();
    private final PrometheusPage page =
            new PrometheusPage(site.grid(), HOSTS, ServerOptions.port(0), SeriesNames.defaults().withoutProducer(), nanos::get, 7);
    private final Producer producer = site.producer();
    private final HttpClient client = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        page.close();
        site.close();
    }

    private HttpResponse<String> ask(URI url, String method) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(url).method(method, HttpRequest.BodyPublishers.noBody()).build();
        return client.send(request, BodyHandlers.ofString());
    }

    private String text() throws IOException, InterruptedException {
        HttpResponse<String> response = ask(page.url(), "GET");
        assertThat(response.headers().firstValue("Content-Type")).contains("text/plain; version=0.0.4; charset=utf-8");
        return response.body();
    }

    private void awaitSize(int size) {
        Await.until(() -> page.size() + " samples, not " + size, () -> page.size() == size);
    }

    @Test
    void lastNumbersAreOnThePage() throws Exception {
        producer.publish("hosts/web1/load", Body.of(1));
        producer.publish(Topic.of("hosts/web1/load"), Map.of("quote", "a\"b\\c\nd"), Body.of(0.5));
        producer.publish("hosts/web1/load", Body.of(2));
        producer.publish(Topic.of("hosts/web1/read"), Map.of("temporality", "cumulative", "monotonic", "true"), Instant.now(), Body.of(7, "By"));
        producer.publish("hosts/web1/sizes", new Body.Histogram(List.of(1.0), List.of(2L, 3L), 9, "By"));
        producer.publish("other", Body.of(1));
        awaitSize(7);
        assertThat(text()).isEqualTo("""
                # TYPE hosts_load gauge
                hosts_load{host="web1",quote="a\\"b\\\\c\\nd"} 0.5
                hosts_load{host="web1"} 2
                # TYPE hosts_read counter
                hosts_read{host="web1"} 7
                # TYPE hosts_sizes histogram
                hosts_sizes_count{host="web1"} 5
                hosts_sizes_sum{host="web1"} 9
                hosts_sizes_bucket{host="web1",le="1"} 2
                hosts_sizes_bucket{host="web1",le="+Inf"} 5
                # TYPE tutti_grid_page_unshown_total counter
                tutti_grid_page_unshown_total 0
                # TYPE tutti_grid_page_missing_total counter
                tutti_grid_page_missing_total 0
                """);
    }

    @Test
    void samplesAreBoundedAndOldOnesGo() throws Exception {
        for (int i = 1; i <= 9; i++) {
            producer.publish("hosts/web" + i + "/load", Body.of(i));
        }
        Await.until("two find no room", () -> page.unshown() == 2);
        assertThat(text()).contains("host=\"web7\"").doesNotContain("host=\"web8\"").contains("unshown_total 2");
        nanos.addAndGet(Duration.ofMinutes(4).toNanos());
        producer.publish("hosts/web1/load", Body.of(10));
        Await.until("it is renewed", () -> {
            try {
                return text().contains("hosts_load{host=\"web1\"} 10");
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        nanos.addAndGet(Duration.ofMinutes(2).toNanos());
        assertThat(text()).contains("host=\"web1\"").doesNotContain("host=\"web2\"");
        assertThat(page.size()).isEqualTo(1);
    }

    @Test
    void otherRequestsAreToldWhatWouldBeRight() throws Exception {
        assertThat(ask(page.url().resolve("/metrics"), "GET").statusCode()).isEqualTo(404);
        assertThat(ask(page.url(), "POST").statusCode()).isEqualTo(405);
        page.close();
        Await.until("the consumer is withdrawn", () -> site.grid().find(Query.CONSUMERS.on("hosts/#")).items().size() == 1);
    }
}
