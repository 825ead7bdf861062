package dev.tutti.grid.mediator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.member.GridMember;
import dev.tutti.internal.Json;
import dev.tutti.testing.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests with JSON, and the service discovery of Prometheus, over real sockets. */
class JsonDoorTest {

    private final HttpClient http = HttpClient.newHttpClient();
    private Node node;
    private GridMember grid;
    private Mediator mediator;

    @BeforeEach
    void open() {
        node = Node.tcp(0).name("n1").start();
        grid = GridMember.on(node).timeout(Duration.ofSeconds(30)).join();
        mediator = Mediator.on(grid).port(0).lease(Duration.ofSeconds(2)).open();
    }

    @AfterEach
    void close() {
        mediator.close();
        grid.close();
        node.close();
        http.close();
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send(HttpRequest.newBuilder(URI.create(mediator.url() + path)));
    }

    private HttpResponse<String> post(String body) throws Exception {
        return send(HttpRequest.newBuilder(URI.create(mediator.url() + "/v1/publish")).POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private static Map<?, ?> object(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return (Map<?, ?>) Json.parse(response.body());
    }

    @Test
    void postedMeasurementsAreFound() throws Exception {
        Queue<Measurement> got = new ConcurrentLinkedQueue<>();
        grid.subscribe(SubscriptionOptions.of("c", Filter.topic("rooms/#")), got::add);
        assertThat(object(post("""
                [{"producer": "room1", "topic": "rooms/1/heat", "value": 21.5, "unit": "Cel", "tags": {"floor": "2"}, "time": "2026-11-28T10:15:30Z"},
                 {"producer": "room1", "topic": "rooms/1/heat", "values": {"low": 1, "state": "on"}}]""")))
                .isEqualTo(Map.of("published", 2L));
        Await.until("they have come", () -> got.size() == 2);
        Measurement first = got.remove();
        assertThat(first.body()).isEqualTo(Body.of(21.5, "Cel"));
        assertThat(first.tags()).isEqualTo(Map.of("floor", "2"));
        assertThat(first.time()).isEqualTo(Instant.parse("2026-11-28T10:15:30Z"));
        assertThat(got.remove().body()).isEqualTo(new Body.Values(Map.of("low", Body.of(1), "state", Body.of("on"))));

        List<?> entries = (List<?>) object(get("/v1/find?kind=producer&topic=rooms/%23")).get("entries");
        assertThat(entries).hasSize(1);
        assertThat(((Map<?, ?>) entries.getFirst()).get("name")).isEqualTo("room1");
        List<?> history = (List<?>) object(get("/v1/history?topic=rooms/*/heat&tag.floor=2")).get("measurements");
        assertThat(history).hasSize(1);
        assertThat(((Map<?, ?>) history.getFirst()).get("value")).isEqualTo(21.5);
        assertThat((List<?>) object(get("/v1/latest?topic=rooms/1/heat")).get("measurements")).hasSize(1);
        Await.until("the producer goes when nothing is posted", () -> grid.status().get("producers") == 0);
    }

    @Test
    void wrongRequestsAreAnsweredWithWhatIsRight() throws Exception {
        assertThat(post("{\"topic\": \"a\"}").body()).contains("measurement 1: it has none of value");
        assertThat(post("[]").statusCode()).isEqualTo(400);
        assertThat(post("{").statusCode()).isEqualTo(400);
        assertThat(post("{\"topic\": \"a/#\", \"value\": 1}").body()).contains("which only filters may contain");
        assertThat(get("/v1/publish").statusCode()).isEqualTo(405);
        assertThat(get("/v1/latest?where=value+%3E").statusCode()).isEqualTo(400);
        assertThat(get("/v1/find?kind=both").body()).contains("kind is producer or consumer, not both");
        assertThat(get("/v1/find?deadline=0").statusCode()).isEqualTo(400);
        assertThat(get("/v1/history?from=yesterday").body()).contains("2026-11-28T10:15:30Z");
        assertThat(mediator.numbers().get("client-refused")).isEqualTo(9);
    }

    @Test
    void prometheusIsToldProducersWithPagesOfMetrics() throws Exception {
        Producer one = grid.produce(ProducerOptions.of("shop", "a").address("web1:9100").with("prometheus", "true").with("team.name", "x"));
        grid.produce(ProducerOptions.of("url", "b").address("https://web2/own/metrics").with("prometheus", "true").with("__address__", "evil"));
        grid.produce(ProducerOptions.of("none", "c").with("prometheus", "true"));
        grid.produce(ProducerOptions.of("other", "d").address("web3:9100"));
        Await.until("the store has them", () -> grid.find(Query.PRODUCERS).items().size() == 4);
        assertThat(Json.parse(get("/v1/targets").body())).isEqualTo(List.of(
                Map.of("targets", List.of("web1:9100"), "labels", Map.of("node", "n1", "producer", "shop", "team_name", "x")),
                Map.of(
                        "targets",
                        List.of("web2:443"),
                        "labels",
                        Map.of(
                                "__metrics_path__", "/own/metrics", "__scheme__", "https", "address__", "evil", "node", "n1", "producer", "url"))));
        one.close();
        Await.until("it is gone", () -> grid.find(Query.PRODUCERS).items().size() == 3);
        assertThat((List<?>) Json.parse(get("/v1/targets").body())).hasSize(1);
        HttpResponse<String> metrics = get("/metrics");
        assertThat(metrics.body()).contains("tutti_grid_producers 3\n").contains("tutti_grid_client_requests ");
        assertThat(get("/health/live").body()).isEqualTo("live\n");
    }
}
