package dev.tutti.grid.bridges.otlp;

import dev.tutti.grid.bridges.internal.door.Call;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogram;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Histogram;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.opentelemetry.proto.metrics.v1.Summary;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.opentelemetry.proto.resource.v1.Resource;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Opens the reading of OTLP to the fuzzer. */
public final class OtlpBytes {

    private OtlpBytes() {}

    /** Reads a request, and makes bodies of its data points; returns the kinds of these. */
    public static Set<String> request(byte[] input) {
        ExportMetricsServiceRequest request;
        try {
            request = OtlpReceiver.decode(new Call("POST", OtlpReceiver.PATH, "application/x-protobuf", "", input));
        } catch (IOException e) {
            return Set.of("refused");
        }
        Set<String> outcomes = new TreeSet<>(Set.of("taken"));
        for (ResourceMetrics resource : request.getResourceMetricsList()) {
            Attributes.of(resource.getResource().getAttributesList());
            for (ScopeMetrics scope : resource.getScopeMetricsList()) {
                for (Metric metric : scope.getMetricsList()) {
                    Points.tell(metric, new Points.Sink() {
                        @Override
                        public void take(Points.Point point) {
                            Attributes.of(point.attributes());
                            outcomes.add(point.body().getClass().getSimpleName());
                        }

                        @Override
                        public void refuse(String reason) {
                            outcomes.add("point refused");
                        }
                    });
                }
            }
        }
        return outcomes;
    }

    /** Returns requests with each kind of metric. */
    public static List<byte[]> requests() {
        KeyValue text = KeyValue.newBuilder().setKey("service.name").setValue(AnyValue.newBuilder().setStringValue("shop")).build();
        KeyValue array = KeyValue.newBuilder()
                .setKey("a")
                .setValue(AnyValue.newBuilder().setArrayValue(ArrayValue.newBuilder().addValues(AnyValue.newBuilder().setIntValue(1))))
                .build();
        NumberDataPoint number = NumberDataPoint.newBuilder().setTimeUnixNano(5).setAsDouble(0.5).addAttributes(array).build();
        Metric histogram = Metric.newBuilder()
                .setName("h")
                .setHistogram(Histogram.newBuilder()
                        .setAggregationTemporality(AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA)
                        .addDataPoints(HistogramDataPoint.newBuilder().addExplicitBounds(1).addBucketCounts(2).addBucketCounts(3).setSum(4)))
                .build();
        ExponentialHistogramDataPoint.Builder ranges = ExponentialHistogramDataPoint.newBuilder().setScale(2).setZeroCount(1);
        ranges.getPositiveBuilder().setOffset(-3).addBucketCounts(1).addBucketCounts(2);
        ranges.getNegativeBuilder().setOffset(3).addBucketCounts(1).addBucketCounts(2);
        Metric exponential = Metric.newBuilder().setName("e").setExponentialHistogram(ExponentialHistogram.newBuilder().addDataPoints(ranges)).build();
        Metric summary = Metric.newBuilder()
                .setName("s")
                .setSummary(Summary.newBuilder()
                        .addDataPoints(SummaryDataPoint.newBuilder()
                                .setCount(2)
                                .addQuantileValues(SummaryDataPoint.ValueAtQuantile.newBuilder().setQuantile(0.5).setValue(1))))
                .build();
        return List.of(
                request(text, Metric.newBuilder().setName("g").setGauge(Gauge.newBuilder().addDataPoints(number)).build()),
                request(text, Metric.newBuilder().setName("c").setSum(Sum.newBuilder().setIsMonotonic(true).addDataPoints(number)).build()),
                request(array, histogram),
                request(array, exponential),
                request(text, summary),
                request(text, Metric.newBuilder().setName("n").build()));
    }

    private static byte[] request(KeyValue attribute, Metric metric) {
        return ExportMetricsServiceRequest.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .setResource(Resource.newBuilder().addAttributes(attribute))
                        .addScopeMetrics(ScopeMetrics.newBuilder().addMetrics(metric)))
                .build()
                .toByteArray();
    }
}
