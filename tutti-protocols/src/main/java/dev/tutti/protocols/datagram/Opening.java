package dev.tutti.protocols.datagram;

import dev.tutti.protocols.datagram.recovery.Recovery;

/** Attempts of the dialling side to open a connection: OPEN is repeated until the other side accepts. */
final class Opening {

    private static final long MILLISECOND = 1_000_000;
    private static final long RETRY_NANOS = 30 * MILLISECOND;
    private static final long RETRY_NANOS_MAX = 500 * MILLISECOND;

    private long cookie;
    private long beforeNanos = Recovery.NEVER;
    private long dueNanos = Recovery.NEVER;

    /** Time at which the dial is refused unless there is an answer. */
    private long doubtNanos = Recovery.NEVER;

    private long sentNanos;
    private int attempts;

    /** Sets the time at which the dial fails. */
    void limit(long nanos) {
        beforeNanos = nanos;
    }

    /** Begins to send, since the endpoint is known. */
    void start(long nowNanos) {
        dueNanos = nowNanos;
    }

    /** Lets the dial count as refused at a time, unless the other side answers before. */
    void doubt(long nanos) {
        doubtNanos = nanos;
    }

    boolean isRefused(long nowNanos) {
        return doubtNanos <= nowNanos;
    }

    /** Returns the cookie for the next OPEN; 0 before the other side has given one. */
    long cookie() {
        return cookie;
    }

    /** Takes a cookie; the next OPEN is sent at once. */
    void onCookie(long value, long nowNanos) {
        cookie = value;
        doubtNanos = Recovery.NEVER;
        dueNanos = nowNanos;
        attempts = 0;
    }

    boolean isDue(long nowNanos) {
        return dueNanos <= nowNanos;
    }

    boolean isTimedOut(long nowNanos) {
        return beforeNanos <= nowNanos;
    }

    void onSent(long nowNanos) {
        sentNanos = nowNanos;
        dueNanos = nowNanos + Math.min(RETRY_NANOS << Math.min(attempts, 5), RETRY_NANOS_MAX);
        attempts++;
    }

    /** Returns the time since the only OPEN that can have been answered; -1 if there were several. */
    long roundTripNanos(long nowNanos) {
        return attempts == 1 ? nowNanos - sentNanos : -1;
    }

    /** Returns the time at which the dial fails. */
    long beforeNanos() {
        return beforeNanos;
    }

    long deadlineNanos() {
        return Math.min(doubtNanos, Math.min(beforeNanos, dueNanos));
    }
}
