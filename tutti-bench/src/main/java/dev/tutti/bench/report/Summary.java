package dev.tutti.bench.report;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** Minimum, median and maximum of some values. */
public record Summary(double min, double median, double max) {

    public static Summary of(Collection<? extends Number> values) {
        double[] sorted = values.stream().mapToDouble(Number::doubleValue).sorted().toArray();
        if (sorted.length == 0) {
            throw new IllegalArgumentException("no values");
        }
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Summary(sorted[0], median, sorted[sorted.length - 1]);
    }

    /** Returns the least value that at least {@code fraction} of the values do not exceed. */
    public static long quantile(long[] values, double fraction) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no values");
        }
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        int rank = (int) Math.ceil(fraction * sorted.length);
        return sorted[Math.max(1, rank) - 1];
    }

    /** Returns the slope of y over x, by least squares; 0 for fewer than two points. */
    public static double slope(double[] x, double[] y) {
        double meanX = Arrays.stream(x).average().orElse(0);
        double meanY = Arrays.stream(y).average().orElse(0);
        double above = 0;
        double below = 0;
        for (int index = 0; index < x.length; index++) {
            above += (x[index] - meanX) * (y[index] - meanY);
            below += (x[index] - meanX) * (x[index] - meanX);
        }
        return below == 0 ? 0 : above / below;
    }

    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("min", min);
        map.put("median", median);
        map.put("max", max);
        return map;
    }
}
