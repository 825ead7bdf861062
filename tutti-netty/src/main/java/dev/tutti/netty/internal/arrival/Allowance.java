package dev.tutti.netty.internal.arrival;

/** Allows a number of events each second; an unused rest does not carry over to the next. Used on the loop only. */
public final class Allowance {

    private static final long SECOND_NANOS = 1_000_000_000L;

    private final int perSecond;
    private long beganNanos;
    private int taken;

    public Allowance(int perSecond) {
        this.perSecond = perSecond;
    }

    /** Returns whether one more is allowed. */
    public boolean take(long nowNanos) {
        if (taken == 0 || nowNanos - beganNanos >= SECOND_NANOS) {
            beganNanos = nowNanos;
            taken = 0;
        }
        if (taken >= perSecond) {
            return false;
        }
        taken++;
        return true;
    }
}
