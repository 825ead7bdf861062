package dev.tutti.console.internal;

import java.util.HashMap;
import java.util.Map;

/**
 * Growth of counters per second, between gatherings that are not too close to each other. Each counter is timed by the
 * clock of its member. Not for several threads.
 */
final class Rates {

    /** Least time between two readings: closer ones are too inexact, and the previous rate stands. */
    private static final long SPAN_NANOS_MIN = 450_000_000L;

    private static final class Reading {
        long value;

        /** Value with the part that {@link #ofRest} takes away. */
        long whole;

        long nanos;
        double rate;
        long round;
    }

    private final Map<String, Reading> readings = new HashMap<>();
    private long round;

    /** Begins a gathering; counters that the previous one did not use are forgotten. */
    void begin() {
        readings.values().removeIf(reading -> reading.round < round);
        round++;
    }

    /**
     * Returns the rate; NaN before there are two readings.
     *
     * @param nanos time by the member's clock
     */
    double of(String counter, long value, long nanos) {
        Reading reading = readings.get(counter);
        if (reading == null) {
            reading = new Reading();
            reading.value = value;
            reading.nanos = nanos;
            reading.rate = Double.NaN;
            readings.put(counter, reading);
        }
        reading.round = round;
        long span = nanos - reading.nanos;
        if (span < 0 || value < reading.value) {
            // The member has started again.
            reading.rate = Double.NaN;
            reading.value = value;
            reading.nanos = nanos;
        } else if (span >= SPAN_NANOS_MIN) {
            reading.rate = (value - reading.value) * 1e9 / span;
            reading.value = value;
            reading.nanos = nanos;
        }
        return reading.rate;
    }

    /**
     * Returns the rate of a counter without a part of it; NaN before there are two readings. The part may be counted somewhat earlier than the
     * whole: the rest then stands still, and does not catch up.
     *
     * @param nanos time by the member's clock
     */
    double ofRest(String counter, long whole, long part, long nanos) {
        Reading known = readings.get(counter);
        long least = known != null && whole >= known.whole ? known.value : Long.MIN_VALUE;
        double rate = of(counter, Math.max(whole - part, least), nanos);
        Reading reading = readings.get(counter);
        if (reading != null) {
            reading.whole = whole;
        }
        return rate;
    }
}
