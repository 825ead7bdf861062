package dev.tutti.study.load;

import dev.tutti.study.setup.Operation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Result of one load.
 *
 * @param samples all requests
 * @param startNanos time of the start
 * @param endNanos time of the last answer
 * @param cpuSeconds CPU time by kind of process
 * @param foreignCores cores that processes of others kept busy, on average
 * @param lost what was confirmed and is not there
 */
public record LoadResult(
        List<Sample> samples, long startNanos, long endNanos, Map<String, Double> cpuSeconds, double foreignCores, Lost lost) {

    private static final long NANOS_MAX = 3_600_000_000_000L;
    private static final int DIGITS = 3;

    /**
     * Confirmed changes that are not there.
     *
     * @param updates updates of sessions
     * @param sessions sessions that had confirmed updates, which count above, too
     * @param rows rows of the database
     */
    public record Lost(long updates, long sessions, long rows) {

        /** Returns the number of lost changes. */
        public long total() {
            return updates + rows;
        }
    }

    /** Copies the maps and lists. */
    public LoadResult {
        samples = List.copyOf(samples);
        cpuSeconds = Map.copyOf(new TreeMap<>(cpuSeconds));
    }

    /** Returns the latencies of confirmed requests, from when they were due. */
    public Histogram latencies() {
        return latencies(samples);
    }

    /** Returns the latencies of one operation. */
    public Histogram latencies(Operation operation) {
        return latencies(samples.stream().filter(sample -> sample.operation() == operation).toList());
    }

    private static Histogram latencies(List<Sample> samples) {
        Histogram histogram = new Histogram(NANOS_MAX, DIGITS);
        for (Sample sample : samples) {
            if (sample.isConfirmed()) {
                histogram.recordValue(Math.clamp(sample.latencyNanos(), 0, NANOS_MAX));
            }
        }
        return histogram;
    }

    /** Returns the number of confirmed requests. */
    public long confirmed() {
        return samples.stream().filter(Sample::isConfirmed).count();
    }

    /** Returns the number of confirmed requests that changed their session. */
    public long updates() {
        return samples.stream().filter(sample -> sample.isConfirmed() && sample.operation() != Operation.READ).count();
    }

    /** Returns the number of requests that failed, by the kind of failure. */
    public Map<String, Integer> failures() {
        Map<String, Integer> failures = new TreeMap<>();
        samples.stream().filter(sample -> !sample.isConfirmed()).forEach(sample -> failures.merge(sample.failure(), 1, Integer::sum));
        return failures;
    }

    /** Returns the number of requests that failed. */
    public long failed() {
        return samples.size() - confirmed();
    }

    /** Returns the duration. */
    public double seconds() {
        return Math.max(1, endNanos - startNanos) / 1e9;
    }

    /** Returns the figures for programs. */
    public Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        Histogram all = latencies();
        map.put("requests", samples.size());
        map.put("confirmed", confirmed());
        map.put("failed", failures());
        map.put("seconds", seconds());
        map.put("requestsPerSecond", confirmed() / seconds());
        map.put("meanMillis", all.getMean() / 1e6);
        map.put("p50Millis", millis(all, 50));
        map.put("p90Millis", millis(all, 90));
        map.put("p99Millis", millis(all, 99));
        map.put("p999Millis", millis(all, 99.9));
        map.put("maxMillis", all.getMaxValue() / 1e6);
        map.put("cpuSeconds", new TreeMap<>(cpuSeconds));
        map.put("foreignCores", foreignCores);
        map.put("lostSessionUpdates", lost.updates());
        map.put("lostSessions", lost.sessions());
        map.put("lostRows", lost.rows());
        return map;
    }

    /** Returns a percentile in milliseconds. */
    public static double millis(Histogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile) / 1e6;
    }
}
