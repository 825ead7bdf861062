package dev.tutti.blocks.internal.session;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Changes that a request has made to a session.
 *
 * @param touched time of the request
 * @param interval time without requests after which the session expires; never if negative or zero
 * @param isIntervalChanged whether the request has set the interval
 * @param index values by the names of indexes; null if they are as before
 * @param attributes bytes of changed attributes by name; null for those that were removed
 */
public record SessionChanges(
        Instant touched,
        Duration interval,
        boolean isIntervalChanged,
        @Nullable Map<String, String> index,
        Map<String, byte @Nullable []> attributes) {

    private static final Duration INTERVAL_MAX = Duration.ofDays(3_650);

    /** Returns null if the session never expires, as does one with an interval of more than ten years. */
    public static @Nullable Duration timeToLive(Duration interval) {
        boolean isNever = interval.isNegative() || interval.isZero() || interval.compareTo(INTERVAL_MAX) > 0;
        return isNever ? null : interval;
    }

    SessionChanges with(Map<String, byte @Nullable []> otherAttributes, @Nullable Map<String, String> otherIndex) {
        return new SessionChanges(touched, interval, isIntervalChanged, otherIndex, otherAttributes);
    }
}
