package dev.tutti.grid.mediator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.member.GridMember;
import dev.tutti.internal.Json;
import dev.tutti.testing.Await;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page's files and its data, over real sockets. ChromiumGridTest shows them in a browser. */
class PageTest {

    private final HttpClient http = HttpClient.newHttpClient();
    private Node node;
    private GridMember grid;

    @BeforeEach
    void open() {
        node = Node.tcp(0).name("n1").start();
        grid = GridMember.on(node).timeout(Duration.ofSeconds(30)).join();
    }

    @AfterEach
    void close() {
        grid.close();
        node.close();
        http.close();
    }

    private HttpResponse<String> get(Mediator mediator, String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(mediator.url() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private Map<?, ?> page(Mediator mediator, String query) throws Exception {
        HttpResponse<String> answer = get(mediator, "/v1/page" + query);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return (Map<?, ?>) Json.parse(answer.body());
    }

    private static List<Map<?, ?>> maps(Object list) {
        return ((List<?>) list).stream().<Map<?, ?>>map(each -> (Map<?, ?>) each).toList();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    void filesAreServedWithAPolicyThatAllowsTheirOwnHostAlone() throws Exception {
        try (Mediator mediator = Mediator.on(grid).port(0).open()) {
            for (String path : List.of("/", "/assets/grid.js", "/assets/sitemap.js", "/assets/grid.css", "/assets/console.css",
                    "/assets/dom.js", "/assets/uPlot.iife.min.js", "/assets/inter.woff2", "/v1/page", "/nothing")) {
                HttpResponse<String> answer = get(mediator, path);
                assertThat(answer.statusCode()).as(path).isEqualTo(path.equals("/nothing") ? 404 : 200);
                assertThat(answer.headers().firstValue("Content-Security-Policy")).as(path).get().asString()
                        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'").doesNotContain("unsafe");
                assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
            }
            HttpResponse<String> first = get(mediator, "/");
            assertThat(first.body()).contains("grid.js").doesNotContain("http://", "https://");
            String tag = first.headers().firstValue("ETag").orElseThrow();
            assertThat(get(mediator, "/", "If-None-Match", tag).statusCode()).isEqualTo(304);
            assertThat(get(mediator, "/assets/grid.html%00.js").statusCode()).isEqualTo(404);
            assertThat(get(mediator, "/assets/../grid.html").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void aTokenIsThePasswordOfThePage(@TempDir Path directory) throws Exception {
        Path tokens = Files.writeString(directory.resolve("tokens"), "grid 0123456789abcdef0123456789abcdef\n");
        Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
        try (Mediator mediator = Mediator.on(grid).port(0).tokens(tokens).open()) {
            for (String path : List.of("/", "/assets/grid.js", "/v1/page")) {
                HttpResponse<String> refused = get(mediator, path);
                assertThat(refused.statusCode()).as(path).isEqualTo(401);
                assertThat(refused.headers().firstValue("WWW-Authenticate")).get().asString().startsWith("Basic ");
                String password = Base64.getEncoder().encodeToString("me:0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8));
                assertThat(get(mediator, path, "Authorization", "Basic " + password).statusCode()).as(path).isEqualTo(200);
            }
        }
    }

    @Test
    void theMapHasCountsAndRates() throws Exception {
        try (Mediator mediator = Mediator.on(grid).port(0).open();
                Producer rooms = grid.produce(ProducerOptions.of("rooms", "rooms/#"));
                Producer idle = grid.produce(ProducerOptions.of("idle", "idle/#"))) {
            grid.subscribe(SubscriptionOptions.of("all rooms", Filter.topic("rooms/#")), measurement -> {});
            grid.subscribe(SubscriptionOptions.of("nobody", Filter.topic("other/#")), measurement -> {});
            Await.until("a rate is known", () -> {
                rooms.publish("rooms/1/heat", Body.of(21.5, "Cel"));
                return rateOf(mediator, "producers", "rooms") > 0;
            });
            Map<?, ?> page = page(mediator, "");
            assertThat(page.get("producers")).isEqualTo(2L);
            assertThat(page.get("consumers")).isEqualTo(2L);
            assertThat(maps(page.get("sites"))).hasSize(1).first().satisfies(site -> {
                assertThat(site.get("state")).isEqualTo("up");
                assertThat(maps(site.get("dots"))).extracting(dot -> dot.get("kind") + " " + dot.get("name"))
                        .containsExactly("producer idle", "producer rooms", "consumer all rooms", "consumer nobody");
            });
            assertThat(maps(page.get("ways"))).singleElement().satisfies(way -> assertThat(((Number) way.get("rate")).doubleValue()).isPositive());
            assertThat(rateOf(mediator, "consumers", "all rooms")).isPositive();
            assertThat(rateOf(mediator, "consumers", "nobody")).isZero();
            assertThat(idle.entry().name()).isEqualTo("idle");
        }
    }

    /** Returns the rate that the page has for a producer or consumer; zero if it has none. */
    private double rateOf(Mediator mediator, String list, String name) {
        try {
            return maps(page(mediator, "?list=" + list).get("rows")).stream()
                    .filter(row -> row.get("name").equals(name) && row.get("rate") != null)
                    .mapToDouble(row -> ((Number) row.get("rate")).doubleValue())
                    .sum();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theListIsSearchedByAllWordsAndEachNumberCanBeCharted() throws Exception {
        try (Mediator mediator = Mediator.on(grid).port(0).open();
                Producer hosts = grid.produce(ProducerOptions.of("hosts", "hosts/#"))) {
            hosts.publish(Topic.of("hosts/web1/memory"), Map.of("zone", "a"), new Body.Values(Map.of("free", Body.of(10, "By"), "used", Body.of(20, "By"))));
            hosts.publish(Topic.of("hosts/web2/load"), Map.of("zone", "b"), Body.of(0.5, "1"));
            hosts.publish(Topic.of("hosts/web2/words"), Map.of(), Body.of("fine"));
            hosts.publish(Topic.of("hosts/web2/times"), Map.of(), new Body.Histogram(List.of(1.0), List.of(3L, 1L), 8, "ms"));
            Map<?, ?> all = page(mediator, "");
            assertThat(maps(all.get("rows"))).extracting(row -> row.get("topic") + " " + row.get("part") + " " + row.get("value"))
                    .containsExactly(
                            "hosts/web1/memory free 10.0", "hosts/web1/memory used 20.0", "hosts/web2/load  0.5", "hosts/web2/times count 4.0",
                            "hosts/web2/times mean 2.0", "hosts/web2/words  null");
            String key = (String) maps(all.get("rows")).get(1).get("key");
            Map<?, ?> searched = page(mediator, "?search=" + encoded(" WEB2  zone=b") + "&chart=" + encoded(key));
            assertThat(maps(searched.get("rows"))).extracting(row -> String.valueOf(row.get("topic"))).containsExactly("hosts/web2/load");
            assertThat(searched.get("found")).isEqualTo(1L);
            assertThat(maps(searched.get("charts"))).singleElement().satisfies(number -> assertThat(number.get("value")).isEqualTo(20.0));
            assertThat(page(mediator, "?site=elsewhere").get("found")).isEqualTo(0L);
            assertThat(get(mediator, "/v1/page?list=others").body()).contains("numbers, producers or consumers");
        }
    }

    @Test
    void anAnswerIsBoundedHoweverMuchThereIs() throws Exception {
        try (Mediator mediator = Mediator.on(grid).port(0).open();
                Producer many = grid.produce(ProducerOptions.of("x".repeat(100), "many/#"))) {
            for (int number = 0; number < 3_000; number++) {
                many.publish(Topic.of("many/" + number), Map.of("tag", "y".repeat(1_000)), Body.of("z".repeat(1_000)));
            }
            HttpResponse<String> answer = get(mediator, "/v1/page");
            Map<?, ?> page = (Map<?, ?>) Json.parse(answer.body());
            assertThat(maps(page.get("rows"))).hasSize(200);
            assertThat(page.get("found")).isEqualTo(3_000L);
            assertThat(answer.body().length()).isLessThan(300_000);
        }
    }
}
