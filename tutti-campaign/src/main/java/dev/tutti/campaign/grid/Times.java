package dev.tutti.campaign.grid;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** Counts of times under way, in steps of 100 µs. Thread-safe. */
final class Times {

    private static final long STEP_MICROS = 100;

    /** Longer times count as the last step. */
    private static final int STEPS = 600_000;

    private final TreeMap<Integer, Long> counts = new TreeMap<>();

    synchronized void add(long micros) {
        counts.merge(Math.clamp(micros / STEP_MICROS, 0, STEPS), 1L, Long::sum);
    }

    /** Adds the times of a text that {@link #toString} made. */
    synchronized void addAll(String text) {
        Arrays.stream(text.split(",")).filter(each -> !each.isEmpty()).forEach(each -> {
            String[] parts = each.split(":");
            counts.merge(Integer.parseInt(parts[0]), Long.parseLong(parts[1]), Long::sum);
        });
    }

    synchronized long count() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the time in milliseconds that a share of the times does not exceed; 0 if there are none. */
    synchronized double millis(double share) {
        long due = (long) Math.ceil(count() * share);
        long seen = 0;
        for (Map.Entry<Integer, Long> each : counts.entrySet()) {
            seen += each.getValue();
            if (seen >= due) {
                return (each.getKey() + 1) * STEP_MICROS / 1e3;
            }
        }
        return 0;
    }

    @Override
    public synchronized String toString() {
        StringBuilder text = new StringBuilder();
        counts.forEach((step, count) -> text.append(text.isEmpty() ? "" : ",").append(step).append(':').append(count));
        return text.toString();
    }
}
