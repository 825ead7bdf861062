package dev.tutti.core.settings;

import java.time.Duration;

/** Durations as settings write them: a whole number and a unit, {@code 250 ms}, {@code 3 s}, {@code 2 min}. */
public final class Durations {

    private Durations() {}

    /**
     * @throws IllegalArgumentException if {@code text} is no duration; the message shows valid ones
     */
    public static Duration parse(String text) {
        Quantity quantity = Quantity.parse(text, "a duration such as 250 ms or 3 s");
        return switch (quantity.unit()) {
            case "ns" -> Duration.ofNanos(quantity.amount());
            case "us", "µs" -> Duration.ofNanos(Math.multiplyExact(quantity.amount(), 1_000L));
            case "ms" -> Duration.ofMillis(quantity.amount());
            case "s" -> Duration.ofSeconds(quantity.amount());
            case "min" -> Duration.ofMinutes(quantity.amount());
            case "h" -> Duration.ofHours(quantity.amount());
            default ->
                throw new IllegalArgumentException("'" + text + "' has the unit '" + quantity.unit()
                        + "'; a duration has ns, us, ms, s, min or h");
        };
    }

    public static String print(Duration duration) {
        long nanos = duration.toNanos();
        if (nanos == 0) {
            return "0 ms";
        }
        if (nanos % 3_600_000_000_000L == 0) {
            return nanos / 3_600_000_000_000L + " h";
        }
        if (nanos % 60_000_000_000L == 0) {
            return nanos / 60_000_000_000L + " min";
        }
        if (nanos % 1_000_000_000L == 0) {
            return nanos / 1_000_000_000L + " s";
        }
        if (nanos % 1_000_000L == 0) {
            return nanos / 1_000_000L + " ms";
        }
        return nanos % 1_000L == 0 ? nanos / 1_000L + " us" : nanos + " ns";
    }
}
