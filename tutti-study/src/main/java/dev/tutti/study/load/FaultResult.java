package dev.tutti.study.load;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Result of a load under which one process was killed.
 *
 * @param killNanos time of the kill
 * @param readyNanos time at which the process served again
 */
public record FaultResult(LoadResult load, long killNanos, long readyNanos) {

    /** Returns the milliseconds from the kill to the sending of the last request that failed; 0 if none did. */
    public double lastFailureMillis() {
        return load.samples().stream()
                        .filter(sample -> !sample.isConfirmed())
                        .mapToLong(sample -> Math.max(0, sample.sentNanos() - killNanos))
                        .max()
                        .orElse(0)
                / 1e6;
    }

    /** Returns the longest time after the kill without any confirmed request, in milliseconds. */
    public double silenceMillis() {
        long[] ends = load.samples().stream()
                .filter(sample -> sample.isConfirmed() && sample.endNanos() > killNanos)
                .mapToLong(Sample::endNanos)
                .sorted()
                .toArray();
        long silence = 0;
        long before = killNanos;
        for (long end : ends) {
            silence = Math.max(silence, end - before);
            before = end;
        }
        return (ends.length == 0 ? load.endNanos() - killNanos : silence) / 1e6;
    }

    /** Returns the milliseconds from the kill until the process, started again, was ready. */
    public double readyMillis() {
        return (readyNanos - killNanos) / 1e6;
    }

    /** Returns confirmed requests per second in slices of {@code sliceMillis}, from {@code fromMillis} before the kill. */
    public double[] rates(int sliceMillis, int fromMillis, int slices) {
        double[] rates = new double[slices];
        for (Sample sample : load.samples()) {
            double at = (sample.endNanos() - killNanos) / 1e6 + fromMillis;
            int slice = (int) Math.floor(at / sliceMillis);
            if (sample.isConfirmed() && slice >= 0 && slice < slices) {
                rates[slice] += 1_000.0 / sliceMillis;
            }
        }
        return rates;
    }

    /** Returns the figures for programs. */
    public Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>(load.map());
        map.put("lastFailureMillis", lastFailureMillis());
        map.put("silenceMillis", silenceMillis());
        map.put("readyMillis", readyMillis());
        map.put("confirmedPerSecondByHalfSecondFromOneSecondBefore", Arrays.stream(rates(500, 1_000, 20)).boxed().toList());
        return map;
    }
}
