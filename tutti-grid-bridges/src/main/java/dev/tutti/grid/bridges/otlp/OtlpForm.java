package dev.tutti.grid.bridges.otlp;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.tutti.grid.Body;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.bridges.Series;
import dev.tutti.grid.bridges.SeriesNames;
import dev.tutti.grid.bridges.internal.Flat;
import dev.tutti.grid.bridges.internal.Outlet;
import dev.tutti.grid.bridges.internal.send.Form;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.resource.v1.Resource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPOutputStream;

/** Requests of OTLP. */
final class OtlpForm implements Form {

    private static final Set<Integer> TEMPORARY = Set.of(429, 502, 503, 504);
    private static final Map<String, String> HEADERS = Map.of("Content-Type", "application/x-protobuf", "Content-Encoding", "gzip");
    private static final InstrumentationScope SCOPE = InstrumentationScope.newBuilder().setName("tutti-grid").build();
    private static final long NANOS = 1_000_000_000;

    /** Kind of a metric: its data points have one and the same. */
    private enum Kind {
        GAUGE,
        SUM,
        HISTOGRAM
    }

    private record Key(String name, String unit, Kind kind, AggregationTemporality temporality, boolean isMonotonic) {}

    private final SeriesNames names;

    OtlpForm(SeriesNames names) {
        this.names = names;
    }

    @Override
    public Map<String, String> headers() {
        return HEADERS;
    }

    @Override
    public int points(Measurement measurement) {
        return switch (measurement.body()) {
            case Body.Number _, Body.Histogram _ -> 1;
            case Body.Values values -> (int) values.values().values().stream().filter(each -> each instanceof Body.Number).count();
            case Body.Text _, Body.Bytes _ -> 0;
        };
    }

    @Override
    public boolean isTemporary(int status) {
        return TEMPORARY.contains(status);
    }

    @Override
    public long rejected(byte[] answer) {
        try {
            return ExportMetricsServiceResponse.parseFrom(answer).getPartialSuccess().getRejectedDataPoints();
        } catch (InvalidProtocolBufferException e) {
            // It has said that all is well.
            return 0;
        }
    }

    @Override
    public Encoded encode(List<Measurement> batch) {
        Map<String, Map<Key, Metric.Builder>> producers = new LinkedHashMap<>();
        for (Measurement each : batch) {
            new Adding(each, producers.computeIfAbsent(each.producer(), key -> new LinkedHashMap<>())).add();
        }
        ExportMetricsServiceRequest.Builder request = ExportMetricsServiceRequest.newBuilder();
        producers.forEach((producer, metrics) -> {
            ScopeMetrics.Builder scope = ScopeMetrics.newBuilder().setScope(SCOPE);
            metrics.values().forEach(scope::addMetrics);
            request.addResourceMetrics(ResourceMetrics.newBuilder()
                    .setResource(Resource.newBuilder().addAttributes(Attributes.of("service.instance.id", producer)))
                    .addScopeMetrics(scope));
        });
        return new Encoded(compressed(request.build().toByteArray()), 0);
    }

    private static byte[] compressed(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** Adds a measurement to the metrics of its producer. */
    private final class Adding {

        private final Measurement measurement;
        private final Map<Key, Metric.Builder> metrics;
        private final Series series;
        private final List<KeyValue> attributes = new ArrayList<>();
        private final boolean isSum;
        private final AggregationTemporality temporality;

        Adding(Measurement measurement, Map<Key, Metric.Builder> metrics) {
            this.measurement = measurement;
            this.metrics = metrics;
            this.series = Flat.series(names, measurement);
            series.labels().forEach((name, value) -> {
                if (!name.equals(SeriesNames.PRODUCER)) {
                    attributes.add(Attributes.of(name, value));
                }
            });
            String tag = measurement.tags().getOrDefault(Outlet.TEMPORALITY, "");
            this.isSum = tag.equals(Outlet.CUMULATIVE) || tag.equals(Outlet.DELTA);
            this.temporality = tag.equals(Outlet.CUMULATIVE)
                    ? AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE
                    : AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA;
        }

        void add() {
            boolean isMonotonic = Boolean.parseBoolean(measurement.tags().get(Outlet.MONOTONIC));
            switch (measurement.body()) {
                case Body.Number(double value, String unit) -> add(series.name(), value, unit, isSum, isMonotonic);
                case Body.Values(Map<String, Body> values) -> values.forEach((name, each) -> {
                    if (each instanceof Body.Number(double value, String unit)) {
                        // Of a timer, these two are summed up; the maximum is none that grows.
                        boolean isPartOfSum = isSum && (name.equals("count") || name.equals("sum"));
                        add(series.name() + "/" + name, value, unit, isPartOfSum, name.equals("count"));
                    }
                });
                case Body.Histogram histogram -> add(histogram);
                case Body.Text _, Body.Bytes _ -> {}
            }
        }

        private Metric.Builder metric(String name, String unit, Kind kind, boolean isMonotonic) {
            String dotted = name.replace('/', '.');
            return metrics.computeIfAbsent(
                    new Key(dotted, unit, kind, temporality, isMonotonic), key -> Metric.newBuilder().setName(dotted).setUnit(unit));
        }

        private void add(String name, double value, String unit, boolean sum, boolean isMonotonic) {
            NumberDataPoint.Builder point =
                    NumberDataPoint.newBuilder().setAsDouble(value).setTimeUnixNano(nanos()).addAllAttributes(attributes);
            if (sum) {
                metric(name, unit, Kind.SUM, isMonotonic)
                        .getSumBuilder()
                        .setAggregationTemporality(temporality)
                        .setIsMonotonic(isMonotonic)
                        .addDataPoints(point);
            } else {
                metric(name, unit, Kind.GAUGE, false).getGaugeBuilder().addDataPoints(point);
            }
        }

        private void add(Body.Histogram histogram) {
            metric(series.name(), histogram.unit(), Kind.HISTOGRAM, false)
                    .getHistogramBuilder()
                    .setAggregationTemporality(temporality)
                    .addDataPoints(HistogramDataPoint.newBuilder()
                            .setTimeUnixNano(nanos())
                            .addAllAttributes(attributes)
                            .setCount(histogram.count())
                            .setSum(histogram.sum())
                            .addAllExplicitBounds(histogram.bounds())
                            .addAllBucketCounts(histogram.counts()));
        }

        private long nanos() {
            Instant time = measurement.time();
            return Math.max(0, time.getEpochSecond() * NANOS + time.getNano());
        }
    }
}
