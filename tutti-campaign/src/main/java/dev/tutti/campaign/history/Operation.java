package dev.tutti.campaign.history;

/**
 * What a client has asked of an object, and what it was told.
 *
 * @param client who, for messages
 * @param object the object's name
 * @param request what was asked
 * @param invokedNanos when, by a clock that all clients share
 * @param returnedNanos when it was told; meaningless unless {@code outcome} is {@link Outcome#TOLD}
 * @param outcome what is known of it
 * @param era that the object was in, as it was told
 * @param result what it was told
 */
public record Operation(
        String client,
        String object,
        Request request,
        long invokedNanos,
        long returnedNanos,
        Outcome outcome,
        long era,
        long result) {

    /** What a client knows of what it has asked for. */
    public enum Outcome {
        /** It was done, with this result. */
        TOLD,
        /** It was done, will be done, or never. */
        UNKNOWN
    }

    /** What is asked. */
    public sealed interface Request {

        /** Adds; the result is the sum. */
        record Add(long delta) implements Request {}

        /** Puts {@code next} in the place of {@code expected} of this era; the result is what was there. */
        record Exchange(long era, long expected, long next) implements Request {}

        /** Asks for a lock; the result is the token. A request that was not granted is none. */
        record Grant() implements Request {}

        /** Gives a lock back; the result is 1 if it was held until then. */
        record Release(long token) implements Request {}

        /** Takes an id; the result is which. */
        record Take() implements Request {}
    }

    boolean isTold() {
        return outcome == Outcome.TOLD;
    }

    @Override
    public String toString() {
        return client + ": " + request + " of " + object
                + (isTold() ? " gave " + result + " in era " + era : ", nobody knows") + ", from " + invokedNanos / 1_000 + " us"
                + (isTold() ? " to " + returnedNanos / 1_000 + " us" : "");
    }
}
