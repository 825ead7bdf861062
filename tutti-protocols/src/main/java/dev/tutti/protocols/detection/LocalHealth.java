package dev.tutti.protocols.detection;

/**
 * Health of this node's own loop: after late turns, what others sent may wait in its queues, so that it waits longer before it
 * judges anybody (after Dadgar et al., Lifeguard, 2018).
 */
final class LocalHealth {

    private static final long STRETCH_MAX = 8;

    private final long timeoutNanos;
    private long stretch = 1;

    /** Time since which {@link #stretch} has been what it is, without late turns. */
    private long calmNanos;

    private long lateTurns;

    LocalHealth(long timeoutNanos) {
        this.timeoutNanos = timeoutNanos;
    }

    /** Notes a late turn of the loop. */
    void onLate(long nowNanos) {
        lateTurns++;
        stretch = Math.min(STRETCH_MAX, stretch * 2);
        calmNanos = nowNanos;
    }

    void onTick(long nowNanos) {
        if (stretch > 1 && nowNanos - calmNanos >= timeoutNanos) {
            stretch /= 2;
            calmNanos = nowNanos;
        }
    }

    /** Returns the factor for the silence after which a node is judged; 1 if the loop is in time. */
    long stretch() {
        return stretch;
    }

    long lateTurns() {
        return lateTurns;
    }
}
