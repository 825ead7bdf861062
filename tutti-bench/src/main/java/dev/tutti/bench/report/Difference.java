package dev.tutti.bench.report;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Typical difference of pairs: the median of the means of any two of them (Hodges and Lehmann), and the interval that
 * holds the true one in 95 of 100 cases (Wilcoxon). A few disturbed pairs move neither far.
 *
 * @param low of the interval; with fewer than six pairs, the least of all
 * @param high of the interval; with fewer than six pairs, the greatest of all
 * @param pairs number of pairs
 */
public record Difference(double estimate, double low, double high, int pairs) {

    /** Standard deviations of the normal distribution within which, to both sides, 95 of 100 values lie. */
    private static final double SIGMAS = 1.96;

    public static Difference of(List<Double> differences) {
        int count = differences.size();
        if (count == 0) {
            throw new IllegalArgumentException("no pairs");
        }
        double[] means = new double[count * (count + 1) / 2];
        int index = 0;
        for (int one = 0; one < count; one++) {
            for (int other = one; other < count; other++) {
                means[index] = (differences.get(one) + differences.get(other)) / 2;
                index++;
            }
        }
        Arrays.sort(means);
        double sigma = Math.sqrt(count * (count + 1.0) * (2.0 * count + 1) / 24);
        int outside = (int) Math.max(0, Math.floor(means.length / 2.0 - SIGMAS * sigma));
        double median = (means[means.length / 2] + means[(means.length - 1) / 2]) / 2;
        return new Difference(median, means[outside], means[means.length - 1 - outside], count);
    }

    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("estimate", estimate);
        map.put("low", low);
        map.put("high", high);
        map.put("pairs", pairs);
        return map;
    }
}
