package dev.tutti.blocks.internal.argument;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Checks of arguments from the application. */
public final class Arguments {

    private static final Duration TIMEOUT_MIN = Duration.ofMillis(1);
    private static final Duration TIMEOUT_MAX = Duration.ofDays(1);

    private Arguments() {}

    /**
     * Returns {@code value}.
     *
     * @param what the method and the argument, such as {@code "onView: the listener"}
     * @throws NullPointerException if it is null
     */
    public static <T> T required(@Nullable T value, String what) {
        if (value == null) {
            throw new NullPointerException(what + " is null");
        }
        return value;
    }

    /** Returns {@code values}, none of which may be null. */
    public static <T> T[] allRequired(T @Nullable [] values, String what) {
        T[] given = required(values, what);
        for (T value : given) {
            required(value, "one of " + what);
        }
        return given;
    }

    /**
     * Returns {@code time}.
     *
     * @throws IllegalArgumentException if it is shorter than {@code least} or longer than {@code most}
     */
    public static Duration within(@Nullable Duration time, Duration least, Duration most, String what) {
        Duration given = required(time, what);
        if (given.compareTo(least) < 0 || given.compareTo(most) > 0) {
            throw new IllegalArgumentException(what + " is " + given + ", " + least + " to " + most + " is allowed");
        }
        return given;
    }

    /** Returns a time-out, which must be from 1 ms to 1 day. */
    public static Duration timeout(@Nullable Duration time, String what) {
        return within(time, TIMEOUT_MIN, TIMEOUT_MAX, what);
    }
}
