package dev.tutti.grid.bridges.otlp;

import dev.tutti.grid.Body;
import dev.tutti.grid.bridges.internal.Outlet;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.DataPointFlags;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Data points of OpenTelemetry as bodies of measurements. */
final class Points {

    /** Most ranges of a histogram. */
    static final int RANGES_MAX = 10_000;

    private static final int SCALE_MIN = -10;
    private static final int SCALE_MAX = 20;

    /**
     * A data point.
     *
     * @param kind tags that say what kind of number it is
     */
    record Point(List<KeyValue> attributes, Map<String, String> kind, long timeNanos, Body body) {}

    /** Takes data points. */
    interface Sink {

        void take(Point point);

        /** Told of a data point that is wrong. */
        void refuse(String reason);
    }

    private Points() {}

    /** Tells the data points of a metric, without those that say that there is none. */
    static void tell(Metric metric, Sink sink) {
        switch (metric.getDataCase()) {
            case GAUGE -> metric.getGauge().getDataPointsList().forEach(point -> tell(point, metric, Map.of(), sink));
            case SUM -> {
                Map<String, String> kind = kind(metric.getSum().getAggregationTemporality());
                kind.put(Outlet.MONOTONIC, String.valueOf(metric.getSum().getIsMonotonic()));
                metric.getSum().getDataPointsList().forEach(point -> tell(point, metric, kind, sink));
            }
            case HISTOGRAM -> {
                Map<String, String> kind = kind(metric.getHistogram().getAggregationTemporality());
                metric.getHistogram().getDataPointsList().forEach(point -> tell(point, metric, kind, sink));
            }
            case EXPONENTIAL_HISTOGRAM -> {
                Map<String, String> kind = kind(metric.getExponentialHistogram().getAggregationTemporality());
                metric.getExponentialHistogram().getDataPointsList().forEach(point -> tell(point, metric, kind, sink));
            }
            case SUMMARY -> metric.getSummary().getDataPointsList().forEach(point -> tell(point, metric, sink));
            case DATA_NOT_SET -> sink.refuse("metric " + metric.getName() + " is of a kind that is not known");
        }
    }

    private static Map<String, String> kind(AggregationTemporality temporality) {
        Map<String, String> kind = new TreeMap<>();
        switch (temporality) {
            case AGGREGATION_TEMPORALITY_DELTA -> kind.put(Outlet.TEMPORALITY, Outlet.DELTA);
            case AGGREGATION_TEMPORALITY_CUMULATIVE -> kind.put(Outlet.TEMPORALITY, Outlet.CUMULATIVE);
            default -> {}
        }
        return kind;
    }

    private static boolean isEmpty(int flags) {
        return (flags & DataPointFlags.DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK_VALUE) != 0;
    }

    private static void tell(NumberDataPoint point, Metric metric, Map<String, String> kind, Sink sink) {
        if (isEmpty(point.getFlags())) {
            return;
        }
        switch (point.getValueCase()) {
            case AS_DOUBLE -> sink.take(new Point(
                    point.getAttributesList(), kind, point.getTimeUnixNano(), Body.of(point.getAsDouble(), metric.getUnit())));
            case AS_INT -> sink.take(new Point(
                    point.getAttributesList(), kind, point.getTimeUnixNano(), Body.of((double) point.getAsInt(), metric.getUnit())));
            case VALUE_NOT_SET -> sink.refuse("a point of " + metric.getName() + " has no value");
        }
    }

    private static void tell(HistogramDataPoint point, Metric metric, Map<String, String> kind, Sink sink) {
        if (isEmpty(point.getFlags())) {
            return;
        }
        if (point.getBucketCountsCount() > RANGES_MAX) {
            sink.refuse("a histogram of " + metric.getName() + " has more than " + RANGES_MAX + " ranges");
            return;
        }
        // Without ranges there are a count and a sum.
        List<Long> counts = point.getBucketCountsCount() == 0 ? List.of(point.getCount()) : point.getBucketCountsList();
        try {
            Body body = new Body.Histogram(point.getExplicitBoundsList(), counts, point.getSum(), metric.getUnit());
            sink.take(new Point(point.getAttributesList(), kind, point.getTimeUnixNano(), body));
        } catch (IllegalArgumentException e) {
            sink.refuse("a histogram of " + metric.getName() + ": " + e.getMessage());
        }
    }

    private static void tell(ExponentialHistogramDataPoint point, Metric metric, Map<String, String> kind, Sink sink) {
        if (isEmpty(point.getFlags())) {
            return;
        }
        try {
            sink.take(new Point(point.getAttributesList(), kind, point.getTimeUnixNano(), histogram(point, metric.getUnit())));
        } catch (IllegalArgumentException e) {
            sink.refuse("an exponential histogram of " + metric.getName() + ": " + e.getMessage());
        }
    }

    /** Returns the same counts with bounds: range {@code i} of a scale is above base to the power of i, up to that of i + 1. */
    private static Body histogram(ExponentialHistogramDataPoint point, String unit) {
        int negatives = point.getNegative().getBucketCountsCount();
        int positives = point.getPositive().getBucketCountsCount();
        if (point.getScale() < SCALE_MIN || point.getScale() > SCALE_MAX) {
            throw new IllegalArgumentException("the scale is " + point.getScale() + ", and " + SCALE_MIN + " to " + SCALE_MAX + " are possible");
        }
        if (negatives > RANGES_MAX || positives > RANGES_MAX) {
            throw new IllegalArgumentException("it has more than " + RANGES_MAX + " ranges");
        }
        double base = Math.pow(2, Math.pow(2, -point.getScale()));
        List<Double> bounds = new ArrayList<>();
        List<Long> counts = new ArrayList<>();
        for (int i = negatives - 1; i >= 0; i--) {
            bounds.add(-Math.pow(base, (double) point.getNegative().getOffset() + i));
            counts.add(point.getNegative().getBucketCounts(i));
        }
        if (point.getZeroCount() != 0 || negatives > 0 || positives > 0) {
            bounds.add(positives > 0 ? Math.pow(base, point.getPositive().getOffset()) : Math.max(0, point.getZeroThreshold()));
            counts.add(point.getZeroCount());
        }
        for (int i = 0; i < positives; i++) {
            bounds.add(Math.pow(base, (double) point.getPositive().getOffset() + i + 1));
            counts.add(point.getPositive().getBucketCounts(i));
        }
        counts.add(0L);
        if (bounds.stream().anyMatch(bound -> !Double.isFinite(bound))) {
            throw new IllegalArgumentException("its ranges are beyond what a double can hold");
        }
        return new Body.Histogram(bounds, counts, point.getSum(), unit);
    }

    private static void tell(SummaryDataPoint point, Metric metric, Sink sink) {
        if (isEmpty(point.getFlags())) {
            return;
        }
        if (point.getQuantileValuesCount() > RANGES_MAX) {
            sink.refuse("a summary of " + metric.getName() + " has more than " + RANGES_MAX + " quantiles");
            return;
        }
        Map<String, Body> values = new TreeMap<>();
        values.put("count", Body.of((double) point.getCount()));
        values.put("sum", Body.of(point.getSum(), metric.getUnit()));
        point.getQuantileValuesList().forEach(each -> values.put("q" + each.getQuantile(), Body.of(each.getValue(), metric.getUnit())));
        sink.take(new Point(
                point.getAttributesList(), Map.of(Outlet.TEMPORALITY, Outlet.CUMULATIVE), point.getTimeUnixNano(), new Body.Values(values)));
    }
}
