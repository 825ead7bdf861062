package dev.tutti.grid;

import java.time.Duration;

/**
 * Quality of the clock that a measurement's time is from.
 *
 * @param isSynchronized whether the operating system says that the clock follows a reference
 * @param errorMax bound of the error, from 0 to a day; a day if nothing is known
 */
public record ClockQuality(boolean isSynchronized, Duration errorMax) {

    private static final Duration WORST = Duration.ofDays(1);

    /** Nothing is known of the clock. */
    public static final ClockQuality UNKNOWN = new ClockQuality(false, WORST);

    public ClockQuality {
        if (errorMax.isNegative() || errorMax.compareTo(WORST) > 0) {
            throw new IllegalArgumentException("the error of a clock is from 0 to a day, not " + errorMax);
        }
    }
}
