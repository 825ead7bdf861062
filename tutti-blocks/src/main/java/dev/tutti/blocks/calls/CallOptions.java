package dev.tutti.blocks.calls;

import dev.tutti.blocks.internal.argument.Arguments;
import java.time.Duration;

/**
 * Options of a call.
 *
 * @param answerBytesMax maximum size of one answer
 * @param atOnceMax maximum number of members that are asked at one time and have not answered
 */
record CallOptions(long timeoutNanos, int answerBytesMax, Wait waitFor, int atOnceMax) {

    static final CallOptions DEFAULT = new CallOptions(10_000_000_000L, 16 << 20, Wait.ALL, Integer.MAX_VALUE);
    static final CallOptions ONE_WAY = DEFAULT.waitFor(Wait.NONE);

    CallOptions within(Duration timeout) {
        Arguments.timeout(timeout, "within: the time of a call");
        return new CallOptions(timeout.toNanos(), answerBytesMax, waitFor, atOnceMax);
    }

    CallOptions answerBytesMax(int bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("answers of at most " + bytes + " bytes");
        }
        return new CallOptions(timeoutNanos, bytes, waitFor, atOnceMax);
    }

    CallOptions waitFor(Wait wait) {
        return new CallOptions(timeoutNanos, answerBytesMax, Arguments.required(wait, "waitFor: how many"), atOnceMax);
    }

    CallOptions atOnceMax(int members) {
        if (members < 1) {
            throw new IllegalArgumentException("at most " + members + " members at once, at least 1");
        }
        return new CallOptions(timeoutNanos, answerBytesMax, waitFor, members);
    }
}
