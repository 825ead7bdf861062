package dev.tutti.grid.bridges.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tutti.grid.Body;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.ServerOptions;
import dev.tutti.grid.bridges.Site;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Histogram;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentSelector;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.View;
import io.opentelemetry.sdk.metrics.export.AggregationTemporalitySelector;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OtlpReceiverTest {

    private final Site site = new Site();
    private final OtlpReceiver receiver = OtlpReceiver.open(site.grid(), ServerOptions.port(0));
    private final HttpClient client = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        receiver.close();
        site.close();
    }

    private SdkMeterProvider sdk(String compression, AggregationTemporalitySelector temporality) {
        OtlpHttpMetricExporter exporter = OtlpHttpMetricExporter.builder()
                .setEndpoint(receiver.url().toString())
                .setCompression(compression)
                .setAggregationTemporalitySelector(temporality)
                .build();
        return SdkMeterProvider.builder()
                .setResource(io.opentelemetry.sdk.resources.Resource.create(Attributes.builder()
                        .put("service.name", "shop/1")
                        .put("service.instance.id", "i1")
                        .put("process.pid", 7)
                        .build()))
                .registerView(
                        InstrumentSelector.builder().setName("expo").build(),
                        View.builder().setAggregation(Aggregation.base2ExponentialBucketHistogram()).build())
                .registerMetricReader(PeriodicMetricReader.builder(exporter).setInterval(Duration.ofHours(1)).build())
                .build();
    }

    @Test
    void metricsOfTheSdkAreMeasurements() {
        try (SdkMeterProvider provider = sdk("gzip", AggregationTemporalitySelector.alwaysCumulative())) {
            Meter meter = provider.get("test");
            meter.counterBuilder("http.requests").setUnit("{request}").build().add(3, Attributes.builder().put("code", 200).put("ok", true).build());
            meter.upDownCounterBuilder("http.open").build().add(-2);
            meter.gaugeBuilder("heat").setUnit("Cel").build().set(21.5, Attributes.builder().put("rooms", "a", "b").build());
            meter.histogramBuilder("took").setUnit("s").setExplicitBucketBoundariesAdvice(List.of(1.0, 2.0)).build().record(1.5);
            CompletableResultCode flushed = provider.forceFlush().join(30, TimeUnit.SECONDS);
            assertThat(flushed.isSuccess()).isTrue();
        }
        Measurement requests = site.await("otlp/shop_1/http/requests");
        assertThat(requests.body()).isEqualTo(Body.of(3, "{request}"));
        assertThat(requests.tags())
                .isEqualTo(Map.of("code", "200", "ok", "true", "service.instance.id", "i1", "temporality", "cumulative", "monotonic", "true"));
        assertThat(Duration.between(requests.time(), Instant.now()).abs()).isLessThan(Duration.ofMinutes(10));
        Measurement open = site.await("otlp/shop_1/http/open");
        assertThat(open.body()).isEqualTo(Body.of(-2));
        assertThat(open.tags()).containsEntry("monotonic", "false");
        Measurement heat = site.await("otlp/shop_1/heat");
        assertThat(heat.body()).isEqualTo(Body.of(21.5, "Cel"));
        assertThat(heat.tags()).isEqualTo(Map.of("rooms", "a,b", "service.instance.id", "i1"));
        Measurement took = site.await("otlp/shop_1/took");
        assertThat(took.body()).isEqualTo(new Body.Histogram(List.of(1.0, 2.0), List.of(0L, 1L, 0L), 1.5, "s"));
        assertThat(took.tags()).containsEntry("temporality", "cumulative");
        assertThat(receiver.status()).containsEntry("services", 1L).containsEntry("rejected", 0L).containsEntry("malformed", 0L);
    }

    @Test
    void exponentialHistogramsHaveTheSameCounts() {
        try (SdkMeterProvider provider = sdk("none", AggregationTemporalitySelector.deltaPreferred())) {
            var histogram = provider.get("test").histogramBuilder("expo").build();
            for (double value : new double[] {0, 0.5, 1, 3, 3.5, 100}) {
                histogram.record(value);
            }
            assertThat(provider.forceFlush().join(30, TimeUnit.SECONDS).isSuccess()).isTrue();
        }
        Measurement expo = site.await("otlp/shop_1/expo");
        Body.Histogram body = (Body.Histogram) expo.body();
        assertThat(expo.tags()).containsEntry("temporality", "delta");
        assertThat(body.count()).isEqualTo(6);
        assertThat(body.sum()).isEqualTo(108);
        assertThat(body.counts().getFirst()).isEqualTo(1);
        // Each value is in the range that has it.
        for (double value : new double[] {0.5, 3, 100}) {
            int range = 0;
            while (body.bounds().get(range) < value) {
                range++;
            }
            assertThat(body.counts().get(range)).as("count of " + value).isPositive();
        }
    }

    private HttpResponse<byte[]> post(byte[] body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(receiver.url()).timeout(Duration.ofSeconds(50)).POST(BodyPublishers.ofByteArray(body));
        request.header("Content-Type", "application/x-protobuf");
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return client.send(request.build(), BodyHandlers.ofByteArray());
    }

    private static ExportMetricsServiceRequest request(String service, Metric... metrics) {
        KeyValue name = KeyValue.newBuilder().setKey("service.name").setValue(AnyValue.newBuilder().setStringValue(service)).build();
        return ExportMetricsServiceRequest.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .setResource(Resource.newBuilder().addAttributes(name))
                        .addScopeMetrics(ScopeMetrics.newBuilder().addAllMetrics(List.of(metrics))))
                .build();
    }

    private static Metric gauge(String name, double value) {
        return Metric.newBuilder().setName(name).setGauge(Gauge.newBuilder().addDataPoints(NumberDataPoint.newBuilder().setAsDouble(value))).build();
    }

    private static byte[] gzip(byte[] bytes) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    @Test
    void pointsThatAreWrongAreRefusedAndTheOthersPublished() throws Exception {
        Metric empty = Metric.newBuilder().setName("empty").setGauge(Gauge.newBuilder().addDataPoints(NumberDataPoint.newBuilder())).build();
        Metric none = Metric.newBuilder().setName("none").build();
        Metric odd = Metric.newBuilder()
                .setName("odd")
                .setHistogram(Histogram.newBuilder()
                        .addDataPoints(HistogramDataPoint.newBuilder().addExplicitBounds(1).addBucketCounts(1))
                        .addDataPoints(HistogramDataPoint.newBuilder().addExplicitBounds(Double.NaN).addExplicitBounds(1).addBucketCounts(1).addBucketCounts(1).addBucketCounts(1))
                        .addDataPoints(HistogramDataPoint.newBuilder().addBucketCounts(-1)))
                .build();
        Metric gone = Metric.newBuilder().setName("gone").setGauge(Gauge.newBuilder().addDataPoints(NumberDataPoint.newBuilder().setFlags(1))).build();
        HttpResponse<byte[]> response = post(request("s", empty, none, odd, gone, gauge("x".repeat(400), 1), gauge("good", 2)).toByteArray());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/x-protobuf");
        var partial = ExportMetricsServiceResponse.parseFrom(response.body()).getPartialSuccess();
        assertThat(partial.getRejectedDataPoints()).isEqualTo(6);
        assertThat(partial.getErrorMessage()).isEqualTo("a point of empty has no value");
        assertThat(site.await("otlp/s/good").body()).isEqualTo(Body.of(2));
        assertThat(site.got()).hasSize(1);
        assertThat(receiver.status()).containsEntry("rejected", 6L).containsEntry("published", 1L);
    }

    @Test
    void hostileNamesAndAttributesAreMadeHarmless() throws Exception {
        NumberDataPoint.Builder point = NumberDataPoint.newBuilder().setAsInt(1).setTimeUnixNano(-1);
        for (int i = 0; i < 200; i++) {
            point.addAttributes(KeyValue.newBuilder().setKey("k" + i).setValue(AnyValue.newBuilder().setStringValue("v".repeat(5_000))));
        }
        point.addAttributes(KeyValue.newBuilder().setValue(AnyValue.newBuilder().setStringValue("no name")));
        Metric metric = Metric.newBuilder().setName("#/*/\n").setGauge(Gauge.newBuilder().addDataPoints(point)).build();
        assertThat(post(request("\0*#/".repeat(50), metric).toByteArray()).statusCode()).isEqualTo(200);
        Measurement got = site.await("otlp/" + "____".repeat(20) + "/_/_/_");
        assertThat(got.tags()).hasSize(Measurement.TAGS_MAX);
        assertThat(got.tags().get("k0")).hasSize(1_024);
    }

    @Test
    void bytesThatAreNoRequestAreRefused() throws Exception {
        Random random = new Random(1);
        byte[] good = request("s", gauge("a", 1)).toByteArray();
        int refused = 0;
        for (int i = 0; i < 200; i++) {
            byte[] bad = good.clone();
            bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            int status = post(bad).statusCode();
            assertThat(status).isIn(200, 400);
            refused += status == 400 ? 1 : 0;
        }
        assertThat(refused).isPositive();
        assertThat(receiver.status()).containsEntry("malformed", (long) refused);
        HttpResponse<byte[]> response = post("hello".getBytes(StandardCharsets.UTF_8));
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(new String(response.body(), StandardCharsets.UTF_8)).contains("no ExportMetricsServiceRequest");
    }

    @Test
    void compressedRequestsAreBounded() throws Exception {
        byte[] good = gzip(request("s", gauge("a", 1)).toByteArray());
        assertThat(post(good, "Content-Encoding", "gzip").statusCode()).isEqualTo(200);
        HttpResponse<byte[]> bomb = post(gzip(new byte[64 << 20]), "Content-Encoding", "gzip");
        assertThat(bomb.statusCode()).isEqualTo(400);
        assertThat(new String(bomb.body(), StandardCharsets.UTF_8)).contains("at most " + OtlpReceiver.BYTES_MAX);
        assertThat(post(new byte[] {1, 2}, "Content-Encoding", "gzip").statusCode()).isEqualTo(400);
        assertThat(post(Arrays.copyOf(good, good.length / 2), "Content-Encoding", "gzip").statusCode()).isEqualTo(400);
        assertThat(post(good, "Content-Encoding", "br").statusCode()).isEqualTo(400);
        assertThat(post(new byte[(4 << 20) + 1]).statusCode()).isEqualTo(413);
    }

    @Test
    void otherRequestsAreToldWhatWouldBeRight() throws Exception {
        assertThat(post(new byte[0], "Content-Type", "application/json").statusCode()).isEqualTo(415);
        HttpRequest get = HttpRequest.newBuilder(receiver.url()).build();
        assertThat(client.send(get, BodyHandlers.ofString()).statusCode()).isEqualTo(405);
        HttpRequest traces = HttpRequest.newBuilder(receiver.url().resolve("/v1/traces")).POST(BodyPublishers.noBody()).build();
        assertThat(client.send(traces, BodyHandlers.ofString()).statusCode()).isEqualTo(404);
        assertThatIllegalArgumentException().isThrownBy(() -> OtlpReceiver.open(site.grid(), ServerOptions.port(0), "a/#"));
    }

    @Test
    void servicesAreBoundedAndSilentOnesMakeRoom() {
        AtomicLong nanos = new AtomicLong();
        try (Services services = new Services(site.grid(), "x", 2, nanos::get)) {
            assertThat(services.publish(request("a", gauge("m", 1))).count()).isZero();
            nanos.addAndGet(TimeUnit.MINUTES.toNanos(6));
            assertThat(services.publish(request("b", gauge("m", 1))).count()).isZero();
            Services.Refusals refusals = services.publish(request("c", gauge("m", 1), gauge("n", 1)));
            assertThat(refusals.count()).isEqualTo(2);
            assertThat(refusals.first()).contains("more than 2 services");
            nanos.addAndGet(TimeUnit.MINUTES.toNanos(6));
            assertThat(services.publish(request("c", gauge("m", 1))).count()).isZero();
            site.awaitNoProducer("x/a/#");
            site.await("x/c/m");
        }
        site.awaitNoProducer("x/#");
    }
}
