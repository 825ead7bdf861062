package dev.tutti.blocks.calls;

import java.time.Duration;

/**
 * How a call is to be made.
 *
 * @param answerBytesMax of one answer
 * @param atOnceMax members that are asked and have not answered, at one time
 */
record CallOptions(long timeoutNanos, int answerBytesMax, Wait waitFor, int atOnceMax) {

    static final CallOptions DEFAULT = new CallOptions(10_000_000_000L, 16 << 20, Wait.ALL, Integer.MAX_VALUE);
    static final CallOptions ONE_WAY = DEFAULT.waitFor(Wait.NONE);

    private static final Duration TIMEOUT_MIN = Duration.ofMillis(1);
    private static final Duration TIMEOUT_MAX = Duration.ofDays(1);

    CallOptions within(Duration timeout) {
        if (timeout.compareTo(TIMEOUT_MIN) < 0 || timeout.compareTo(TIMEOUT_MAX) > 0) {
            throw new IllegalArgumentException(
                    "a call within " + timeout + ", at least " + TIMEOUT_MIN + ", at most " + TIMEOUT_MAX);
        }
        return new CallOptions(timeout.toNanos(), answerBytesMax, waitFor, atOnceMax);
    }

    CallOptions answerBytesMax(int bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("answers of at most " + bytes + " bytes");
        }
        return new CallOptions(timeoutNanos, bytes, waitFor, atOnceMax);
    }

    CallOptions waitFor(Wait wait) {
        return new CallOptions(timeoutNanos, answerBytesMax, wait, atOnceMax);
    }

    CallOptions atOnceMax(int members) {
        if (members < 1) {
            throw new IllegalArgumentException("at most " + members + " members at once, at least 1");
        }
        return new CallOptions(timeoutNanos, answerBytesMax, waitFor, members);
    }
}
