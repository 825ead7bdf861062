package dev.tutti.grid.bridges.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Producer;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.bridges.Collector;
import dev.tutti.grid.bridges.SendOptions;
import dev.tutti.grid.bridges.SeriesNames;
import dev.tutti.grid.ServerOptions;
import dev.tutti.grid.bridges.Site;
import dev.tutti.grid.bridges.internal.door.Call;
import dev.tutti.grid.bridges.internal.door.Reply;
import dev.tutti.testing.Await;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsPartialSuccess;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OtlpSenderTest {

    private static final SubscriptionOptions HOSTS = SubscriptionOptions.of("otlp", Filter.topic("hosts/#"));

    private final Site site = new Site();
    private final Collector collector = new Collector();
    private final Producer producer = site.producer();

    @AfterEach
    void close() {
        collector.close();
        site.close();
    }

    private static Map<String, Metric> metrics(Call call) throws Exception {
        assertThat(call.type()).isEqualTo("application/x-protobuf");
        assertThat(call.encoding()).isEqualTo("gzip");
        byte[] bytes = new GZIPInputStream(new ByteArrayInputStream(call.body())).readAllBytes();
        Map<String, Metric> metrics = new TreeMap<>();
        ExportMetricsServiceRequest.parseFrom(bytes).getResourceMetricsList().forEach(resource -> resource.getScopeMetricsList()
                .forEach(scope -> scope.getMetricsList().forEach(metric -> metrics.put(metric.getName(), metric))));
        return metrics;
    }

    private static Map<String, String> attributes(List<KeyValue> list) {
        return Attributes.of(list);
    }

    @Test
    void measurementsAreMetrics() throws Exception {
        Instant time = Instant.parse("2026-11-28T10:00:00.123456Z");
        try (OtlpSender sender = OtlpSender.open(site.grid(), HOSTS, SendOptions.to(collector.url()).interval(Duration.ofHours(1)))) {
            producer.publish(Topic.of("hosts/web1/cpu/load"), Map.of("zone", "a"), time, Body.of(0.5, "1"));
            producer.publish(Topic.of("hosts/web1/read"), Map.of("temporality", "cumulative", "monotonic", "true"), time, Body.of(9, "By"));
            producer.publish(
                    Topic.of("hosts/web1/calls"),
                    Map.of("temporality", "delta"),
                    time,
                    new Body.Values(Map.of("count", Body.of(2), "sum", Body.of(3, "s"), "max", Body.of(1, "s"), "name", Body.of("x"))));
            producer.publish(Topic.of("hosts/web1/sizes"), Map.of("temporality", "cumulative"), time, new Body.Histogram(List.of(1.0), List.of(2L, 3L), 9, "By"));
            producer.publish("hosts/web1/state", Body.of("fine"));
            Await.until("the text is left out", () -> sender.status().get("omitted") == 1);
        }
        assertThat(collector.calls()).hasSize(1);
        Map<String, Metric> metrics = metrics(collector.awaitCall());
        assertThat(metrics).containsOnlyKeys("hosts.cpu.load", "hosts.read", "hosts.calls.count", "hosts.calls.sum", "hosts.calls.max", "hosts.sizes");
        Metric load = metrics.get("hosts.cpu.load");
        NumberDataPoint point = load.getGauge().getDataPoints(0);
        assertThat(point.getAsDouble()).isEqualTo(0.5);
        assertThat(point.getTimeUnixNano()).isEqualTo(time.getEpochSecond() * 1_000_000_000 + 123_456_000);
        assertThat(attributes(point.getAttributesList())).isEqualTo(Map.of("host", "web1", "zone", "a"));
        assertThat(metrics.get("hosts.read").getSum().getIsMonotonic()).isTrue();
        assertThat(metrics.get("hosts.read").getSum().getAggregationTemporality()).isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
        assertThat(attributes(metrics.get("hosts.read").getSum().getDataPoints(0).getAttributesList())).isEqualTo(Map.of("host", "web1"));
        assertThat(metrics.get("hosts.calls.count").getSum().getAggregationTemporality()).isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA);
        assertThat(metrics.get("hosts.calls.max").hasGauge()).isTrue();
        assertThat(metrics.get("hosts.sizes").getHistogram().getDataPoints(0).getCount()).isEqualTo(5);
        assertThat(metrics.get("hosts.sizes").getHistogram().getDataPoints(0).getBucketCountsList()).containsExactly(2L, 3L);
    }

    @Test
    void whatTheCollectorRejectsIsCounted() {
        byte[] answer = ExportMetricsServiceResponse.newBuilder()
                .setPartialSuccess(ExportMetricsPartialSuccess.newBuilder().setRejectedDataPoints(1).setErrorMessage("old"))
                .build()
                .toByteArray();
        collector.answer(() -> new Reply(200, "application/x-protobuf", answer, 0));
        try (OtlpSender sender = OtlpSender.open(site.grid(), HOSTS, SendOptions.to(collector.url()).points(3))) {
            for (int i = 0; i < 3; i++) {
                producer.publish("hosts/web1/load", Body.of(i));
            }
            Await.until("two of three are taken", () -> sender.status().get("sent") == 2);
            assertThat(sender.status()).containsEntry("rejected", 1L);
        }
    }

    @Test
    void statusesAreTemporaryAsOtlpSays() {
        OtlpForm form = new OtlpForm(SeriesNames.defaults());
        List<Integer> temporary = new ArrayList<>();
        for (int status = 300; status < 600; status++) {
            if (form.isTemporary(status)) {
                temporary.add(status);
            }
        }
        assertThat(temporary).containsExactly(429, 502, 503, 504);
        assertThat(form.rejected(new byte[] {1, 2, 3})).isZero();
    }

    @Test
    void aReceiverTakesWhatASenderSends() {
        try (OtlpReceiver receiver = OtlpReceiver.open(site.grid(), ServerOptions.port(0));
                OtlpSender sender = OtlpSender.open(
                        site.grid(), HOSTS, SendOptions.to(receiver.url().toString()).interval(Duration.ofMillis(20)))) {
            producer.publish("hosts/web1/sizes", new Body.Histogram(List.of(1.0), List.of(2L, 3L), 9, "By"));
            Measurement got = site.await("otlp/unknown_service/hosts/sizes");
            assertThat(got.body()).isEqualTo(new Body.Histogram(List.of(1.0), List.of(2L, 3L), 9, "By"));
            assertThat(got.tags()).containsEntry("host", "web1").containsEntry("temporality", "delta").containsKey("service.instance.id");
            Await.until("it is sent", () -> sender.status().get("sent") == 1);
        }
    }
}
