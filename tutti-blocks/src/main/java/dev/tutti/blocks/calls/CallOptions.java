package dev.tutti.blocks.calls;

import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.core.Member;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Options of a call.
 *
 * @param answerBytesMax maximum size of one answer
 * @param atOnceMax maximum number of members that are asked at one time and have not answered
 * @param order puts the members in the order in which they are asked, unless one multicast asks all; null for the order of the call
 */
record CallOptions(
        long timeoutNanos, int answerBytesMax, Wait waitFor, int atOnceMax, @Nullable UnaryOperator<List<Member>> order) {

    static final CallOptions DEFAULT = new CallOptions(10_000_000_000L, 16 << 20, Wait.ALL, Integer.MAX_VALUE, null);
    static final CallOptions ONE_WAY = DEFAULT.waitFor(Wait.NONE);

    CallOptions within(Duration timeout) {
        Arguments.timeout(timeout, "within: the time of a call");
        return new CallOptions(timeout.toNanos(), answerBytesMax, waitFor, atOnceMax, order);
    }

    CallOptions answerBytesMax(int bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("answers of at most " + bytes + " bytes");
        }
        return new CallOptions(timeoutNanos, bytes, waitFor, atOnceMax, order);
    }

    CallOptions waitFor(Wait wait) {
        return new CallOptions(timeoutNanos, answerBytesMax, Arguments.required(wait, "waitFor: how many"), atOnceMax, order);
    }

    CallOptions atOnceMax(int members) {
        if (members < 1) {
            throw new IllegalArgumentException("at most " + members + " members at once, at least 1");
        }
        return new CallOptions(timeoutNanos, answerBytesMax, waitFor, members, order);
    }

    CallOptions order(UnaryOperator<List<Member>> other) {
        return new CallOptions(timeoutNanos, answerBytesMax, waitFor, atOnceMax, other);
    }
}
