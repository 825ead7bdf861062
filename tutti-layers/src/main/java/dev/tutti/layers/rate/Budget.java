package dev.tutti.layers.rate;

/**
 * Budget that refills at a constant rate, up to what a burst takes, and may be overdrawn by one spending (the virtual
 * scheduling of ITU-T I.371).
 */
final class Budget {

    private static final double SECOND_NANOS = 1e9;

    private final long perSecond;
    private final long burstNanos;

    /** Time at which everything spent so far is paid for. */
    private long paidNanos = Long.MIN_VALUE / 2;

    /** @param perSecond 0 for a budget without limit */
    Budget(long perSecond, long burstNanos) {
        this.perSecond = perSecond;
        this.burstNanos = burstNanos;
    }

    boolean isLimited() {
        return perSecond > 0;
    }

    void spend(long amount, long nowNanos) {
        if (isLimited()) {
            paidNanos = savedSince(nowNanos) + Math.round(amount * SECOND_NANOS / perSecond);
        }
    }

    /** Returns what may be spent; at least 1 unless the budget is overdrawn. */
    long left(long nowNanos) {
        if (!isLimited()) {
            return Long.MAX_VALUE;
        }
        long savedNanos = nowNanos - savedSince(nowNanos);
        return savedNanos < 0 ? 0 : 1 + (long) (savedNanos / SECOND_NANOS * perSecond);
    }

    /** Returns the time until something may be spent. */
    long waitNanos(long nowNanos) {
        return isLimited() ? Math.max(0, savedSince(nowNanos) - nowNanos) : 0;
    }

    private long savedSince(long nowNanos) {
        return Math.max(paidNanos, nowNanos - burstNanos);
    }
}
