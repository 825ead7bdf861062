package dev.tutti.protocols.datagram.recovery;

/** Estimate of a path's round trip: the smoothed value and its variation, as in RFC 9002, section 5. */
final class RoundTrip {

    private static final long INITIAL_NANOS = 10_000_000;

    private long smoothedNanos;
    private long variationNanos;
    private long latestNanos;
    private boolean isMeasured;

    boolean isMeasured() {
        return isMeasured;
    }

    /** Returns the smoothed estimate; 10 ms before the first measurement. */
    long smoothedNanos() {
        return isMeasured ? smoothedNanos : INITIAL_NANOS;
    }

    long variationNanos() {
        return variationNanos;
    }

    /** Returns the higher one of the smoothed and the latest round trip; 0 before the first measurement. */
    long upperNanos() {
        return Math.max(smoothedNanos, latestNanos);
    }

    /** Takes the duration of the handshake as the first estimate. */
    void onHandshake(long tookNanos) {
        isMeasured = true;
        smoothedNanos = Math.max(1, tookNanos);
        variationNanos = smoothedNanos / 2;
    }

    /**
     * Takes a measurement.
     *
     * @param tookNanos at least 1
     * @param delayNanos time for which the other side had delayed its acknowledgement
     * @param minNanos shortest round trip of the path, below which the delay is not deducted
     */
    void onMeasured(long tookNanos, long delayNanos, long minNanos) {
        latestNanos = tookNanos;
        if (!isMeasured) {
            isMeasured = true;
            smoothedNanos = latestNanos;
            variationNanos = latestNanos / 2;
            return;
        }
        long adjusted = latestNanos;
        if (latestNanos - delayNanos >= minNanos) {
            adjusted -= delayNanos;
        }
        variationNanos += (Math.abs(smoothedNanos - adjusted) - variationNanos) / 4;
        smoothedNanos += (adjusted - smoothedNanos) / 8;
    }
}
