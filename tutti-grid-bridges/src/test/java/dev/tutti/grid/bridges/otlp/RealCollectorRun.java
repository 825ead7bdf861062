package dev.tutti.grid.bridges.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ServerOptions;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.WhenFull;
import dev.tutti.grid.bridges.SendOptions;
import dev.tutti.grid.bridges.Site;
import dev.tutti.testing.Await;
import dev.tutti.testing.Ports;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import io.opentelemetry.sdk.resources.Resource;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real collector of OpenTelemetry between a producer and a consumer of the grid: measurements go to it through an {@link OtlpSender},
 * and come back through an {@link OtlpReceiver}. Not among the tests that always run, since Go has to build the collector: {@code
 * tutti-grid-bridges/conformance/run}.
 */
class RealCollectorRun {

    private static final SubscriptionOptions HOSTS = SubscriptionOptions.of("otlp", Filter.topic("hosts/#"));
    private static final String NUMBERS = "otlp/unknown_service/hosts/number";
    private static final int PERIOD_MILLIS = 4;

    @TempDir
    private Path directory;

    private final Site site = new Site();
    private final Producer producer = site.producer();
    private final AtomicInteger published = new AtomicInteger();
    private int port;
    private OtlpReceiver receiver;
    private CollectorProcess collector;

    @BeforeEach
    void open() throws Exception {
        port = Ports.lasting();
        receiver = OtlpReceiver.open(site.grid(), ServerOptions.port(port));
        collector = new CollectorProcess(directory, receiver.url(), "{}");
    }

    @AfterEach
    void close() throws Exception {
        collector.close();
        receiver.close();
        site.close();
    }

    private OtlpSender sender(SubscriptionOptions consumer) {
        return sender(consumer, collector);
    }

    private OtlpSender sender(SubscriptionOptions consumer, CollectorProcess to) {
        return OtlpSender.open(site.grid(), consumer, SendOptions.to(to.url().toString()).interval(Duration.ofMillis(50)));
    }

    /** Publishes numbers from 1 on, one after the other, while it is open. */
    private ScheduledExecutorService numbers() {
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        clock.scheduleAtFixedRate(this::publishNext, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
        return clock;
    }

    private void publishNext() {
        producer.publish("hosts/web1/number", Body.of(published.incrementAndGet()));
    }

    /** Waits until numbers have been published that were not when it was called. */
    private void awaitPublished(int more) {
        int until = published.get() + more;
        Await.until(() -> until + " numbers, not " + published, () -> published.get() >= until);
    }

    /** Returns the numbers that have come back, in the order in which each came first. */
    private Set<Integer> numbersBack() {
        Set<Integer> back = new LinkedHashSet<>();
        for (Measurement each : site.got()) {
            if (each.topic().path().equals(NUMBERS) && each.body() instanceof Body.Number(double value, _)) {
                back.add((int) value);
            }
        }
        return back;
    }

    private void awaitBack(int number) {
        Await.until(() -> "the number " + number + "; the collector says: " + collector.log(), () -> numbersBack().contains(number));
    }

    private void awaitAllBack() {
        int count = published.get();
        Await.until(() -> count + " numbers, not " + numbersBack().size(), () -> numbersBack().size() == count);
    }

    @Test
    void measurementsComeBackAsTheyWent() {
        Instant time = Instant.parse("2026-11-28T10:15:30.123456Z");
        try (OtlpSender sender = sender(HOSTS)) {
            producer.publish(Topic.of("hosts/web1/heat"), Map.of("room", "a b/ü"), time, Body.of(21.5, "Cel"));
            producer.publish(Topic.of("hosts/web1/requests"), Map.of("temporality", "cumulative", "monotonic", "true"), time, Body.of(7, "{request}"));
            Body.Histogram took = new Body.Histogram(List.of(1.0, 2.0), List.of(3L, 0L, 4L), 12.5, "s");
            producer.publish(Topic.of("hosts/web1/took"), Map.of("temporality", "cumulative"), time, took);
            producer.publish(Topic.of("hosts/web1/disk"), Map.of(), time, new Body.Values(Map.of("read", Body.of(1, "By"), "written", Body.of(2, "By"))));

            Measurement heat = site.await("otlp/unknown_service/hosts/heat");
            assertThat(heat.body()).isEqualTo(Body.of(21.5, "Cel"));
            assertThat(heat.time()).isEqualTo(time);
            assertThat(heat.tags()).containsEntry("host", "web1").containsEntry("room", "a b/ü").doesNotContainKey("temporality");
            Measurement requests = site.await("otlp/unknown_service/hosts/requests");
            assertThat(requests.body()).isEqualTo(Body.of(7, "{request}"));
            assertThat(requests.tags()).containsEntry("temporality", "cumulative").containsEntry("monotonic", "true");
            Measurement back = site.await("otlp/unknown_service/hosts/took");
            assertThat(back.body()).isEqualTo(took);
            assertThat(back.tags()).containsEntry("temporality", "cumulative");
            assertThat(site.await("otlp/unknown_service/hosts/disk/written").body()).isEqualTo(Body.of(2, "By"));
            Await.until("all is taken", () -> sender.status().get("sent") == 5);
            assertThat(sender.status()).containsEntry("rejected", 0L).containsEntry("dropped", 0L).containsEntry("retries", 0L);
            assertThat(receiver.status()).containsEntry("rejected", 0L).containsEntry("malformed", 0L).containsEntry("refused", 0L);
        }
    }

    @Test
    void metricsOfAnApplicationComeThroughTheCollector() {
        OtlpHttpMetricExporter exporter = OtlpHttpMetricExporter.builder().setEndpoint(collector.url().toString()).build();
        Resource shop = Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), "shop", AttributeKey.stringKey("service.instance.id"), "i1"));
        try (SdkMeterProvider provider = SdkMeterProvider.builder()
                .setResource(shop)
                .registerMetricReader(PeriodicMetricReader.builder(exporter).setInterval(Duration.ofHours(1)).build())
                .build()) {
            provider.get("test").counterBuilder("http.requests").build().add(3, Attributes.of(AttributeKey.longKey("code"), 200L));
            assertThat(provider.forceFlush().join(30, TimeUnit.SECONDS).isSuccess()).isTrue();
        }
        Measurement requests = site.await("otlp/shop/http/requests");
        assertThat(requests.body()).isEqualTo(Body.of(3));
        assertThat(requests.tags())
                .isEqualTo(Map.of("code", "200", "service.instance.id", "i1", "temporality", "cumulative", "monotonic", "true"));
    }

    @Test
    void aCollectorHasItsTokenInAHeader() throws Exception {
        Path tokens = directory.resolve("tokens");
        Files.createFile(tokens, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(tokens, "bridges 0123456789abcdef0123456789abcdef\n");
        ServerOptions options = ServerOptions.port(0).tokens(tokens);
        try (OtlpReceiver guarded = OtlpReceiver.open(site.grid(), options, "guarded");
                CollectorProcess admitted = new CollectorProcess(
                        Files.createDirectory(directory.resolve("admitted")), guarded.url(), "{ authorization: \"Bearer 0123456789abcdef0123456789abcdef\" }");
                OtlpSender _ = sender(HOSTS, admitted)) {
            publishNext();
            assertThat(site.await("guarded/unknown_service/hosts/number").body()).isEqualTo(Body.of(1));
        }
    }

    @Test
    void requestsThatAreTooLargeForABridgeAreDivided() throws Exception {
        int count = 30_000;
        KeyValue text = KeyValue.newBuilder().setKey("text").setValue(AnyValue.newBuilder().setStringValue("x".repeat(200))).build();
        Gauge.Builder gauge = Gauge.newBuilder();
        for (int i = 1; i <= count; i++) {
            gauge.addDataPoints(NumberDataPoint.newBuilder().setAsDouble(i).setTimeUnixNano(i).addAttributes(text));
        }
        byte[] body = ExportMetricsServiceRequest.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .addScopeMetrics(ScopeMetrics.newBuilder().addMetrics(Metric.newBuilder().setName("hosts.number").setGauge(gauge))))
                .build()
                .toByteArray();
        assertThat(body).hasSizeGreaterThan(OtlpReceiver.BYTES_MAX);
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(collector.url()).header("Content-Type", "application/x-protobuf").POST(BodyPublishers.ofByteArray(body)).build();
            HttpResponse<Void> answer = client.send(request, BodyHandlers.discarding());
            assertThat(answer.statusCode()).isEqualTo(200);
        }
        published.set(count);
        awaitAllBack();
        assertThat(receiver.status()).containsEntry("malformed", 0L).containsEntry("refused", 0L);
    }

    @Test
    void nothingIsLostWhenTheCollectorIsKilled() throws Exception {
        try (OtlpSender sender = sender(HOSTS)) {
            try (ScheduledExecutorService _ = numbers()) {
                for (int kill = 0; kill < 3; kill++) {
                    awaitPublished(200);
                    awaitBack(published.get());
                    collector.kill();
                    awaitPublished(300);
                    collector.startAgain();
                }
                awaitBack(published.get());
            }
            awaitAllBack();
            assertThat(sender.status()).containsEntry("dropped", 0L).containsEntry("missing", 0L).containsEntry("rejected", 0L);
            assertThat(sender.status().get("retries")).isPositive();
        }
    }

    @Test
    void numbersAreInOrderWhenTheGridWasAwayForAWhile() throws Exception {
        try (OtlpSender sender = sender(HOSTS)) {
            try (ScheduledExecutorService _ = numbers()) {
                awaitPublished(200);
                receiver.close();
                awaitPublished(300);
                int before = published.get();
                Await.until("the collector has them in its queue", () -> sender.status().get("sent") >= before);
                receiver = OtlpReceiver.open(site.grid(), ServerOptions.port(port));
                awaitBack(published.get());
            }
            awaitAllBack();
            assertThat(numbersBack()).containsExactlyElementsOf(IntStream.rangeClosed(1, published.get()).boxed().toList());
            assertThat(sender.status()).containsEntry("dropped", 0L).containsEntry("missing", 0L).containsEntry("retries", 0L);
        }
    }

    @Test
    void theQueueOutlivesACollectorThatIsKilledWhileTheGridIsAway() throws Exception {
        try (OtlpSender sender = sender(HOSTS)) {
            receiver.close();
            for (int i = 0; i < 500; i++) {
                publishNext();
            }
            Await.until("the collector has taken them", () -> sender.status().get("sent") == 500);
        }
        // Nobody but the collector has them now.
        collector.kill();
        receiver = OtlpReceiver.open(site.grid(), ServerOptions.port(port));
        assertThat(numbersBack()).hasSizeLessThan(500);
        collector.startAgain();
        awaitAllBack();
    }

    @Test
    void theSenderTellsHowManyMeasurementsItsQueueDidNotHold() throws Exception {
        Map<String, String> tags = new TreeMap<>();
        for (int i = 0; i < 10; i++) {
            tags.put("text" + i, "x".repeat(Measurement.TAG_MAX));
        }
        int count = 3_000;
        SubscriptionOptions small = HOSTS.queue(SubscriptionOptions.QUEUE_MIN, WhenFull.DROP_OLDEST);
        try (OtlpSender sender = OtlpSender.open(
                site.grid(), small, SendOptions.to(collector.url().toString()).interval(Duration.ofMillis(50)).points(100))) {
            collector.kill();
            for (int i = 1; i <= count; i++) {
                producer.publish(Topic.of("hosts/web1/number"), tags, Instant.now(), Body.of(i));
            }
            collector.startAgain();
            awaitBack(count);
            Await.until(() -> "each is sent or missing: " + sender.status(), () -> sender.status().get("sent") + sender.status().get("missing") == count);
            assertThat(sender.status().get("missing")).isPositive();
            assertThat(sender.status()).containsEntry("dropped", 0L).containsEntry("rejected", 0L);
            Await.until("all that was sent is back", () -> numbersBack().size() == sender.status().get("sent"));
        }
    }
}
