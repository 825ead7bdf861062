package dev.tutti.campaign.history;

/**
 * A request of a client to an object, and its result.
 *
 * @param client name of the client, for messages
 * @param object name of the object
 * @param request the request
 * @param invokedNanos time of the call, by a clock that all clients share
 * @param returnedNanos time of the return; meaningless unless {@code outcome} is {@link Outcome#TOLD}
 * @param outcome whether the result is known
 * @param era era of the object, as returned
 * @param result the result
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

    /** Knowledge of a client about the outcome of its request. */
    public enum Outcome {
        /** It was done, with this result. */
        TOLD,
        /** It was done, will be done, or will never be done. */
        UNKNOWN
    }

    /** A request to an object. */
    public sealed interface Request {

        /** Adds; the result is the sum. */
        record Add(long delta) implements Request {}

        /** Replaces {@code expected} of this era by {@code next}; the result is the former value. */
        record Exchange(long era, long expected, long next) implements Request {}

        /** Acquires a lock; the result is the token. A request that was not granted does not count. */
        record Grant() implements Request {}

        /** Releases a lock; the result is 1 if it was held until then. */
        record Release(long token) implements Request {}

        /** Takes an id; the result is that id. */
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
