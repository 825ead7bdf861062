package dev.tutti.protocols.datagram.recovery;

/**
 * Distance and time after which a datagram counts as lost because later ones have arrived.
 *
 * <p>Both grow when a datagram that counted as lost arrives, since the path then reorders datagrams, and halve every
 * 5 s.
 */
final class LossThresholds {

    private static final int DISTANCE_MIN = 3;
    private static final long RELAX_NANOS = 5_000_000_000L;

    private int distance = DISTANCE_MIN;
    private long lateNanos;
    private long relaxNanos;

    /** Returns the number of datagrams by which the largest acknowledged one is ahead of a lost one. */
    int distance() {
        return distance;
    }

    /** Returns the time since its sending after which a datagram is lost. */
    long delayNanos(RoundTrip roundTrip) {
        long base = roundTrip.upperNanos() * 9 / 8;
        return Math.max(Math.max(base, lateNanos * 9 / 8), Recovery.GRANULARITY_NANOS);
    }

    /** Raises the thresholds after a datagram that counted as lost has arrived. */
    void onFound(long foundDistance, long tookNanos, long lateNanosMax, long nowNanos) {
        distance = (int) Math.min(Integer.MAX_VALUE / 2, Math.max(distance, 2 * foundDistance));
        lateNanos = Math.min(Math.max(lateNanos, tookNanos), lateNanosMax);
        relaxNanos = nowNanos + RELAX_NANOS;
    }

    /** Lowers the thresholds if no datagram was found for a while. */
    void relax(long nowNanos) {
        if (nowNanos >= relaxNanos && distance > DISTANCE_MIN) {
            distance = Math.max(DISTANCE_MIN, distance / 2);
            lateNanos = lateNanos / 2;
            relaxNanos = nowNanos + RELAX_NANOS;
        }
    }
}
