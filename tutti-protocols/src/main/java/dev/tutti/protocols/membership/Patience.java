package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import org.jspecify.annotations.Nullable;

/**
 * Decides how long this member waits for the one that it follows, which has to run a ballot for it. A coordinator that says
 * nothing about a ballot within {@link #boundNanos} is passed over, and so is one that talks for {@value #TURNS_MAX} times as
 * long without a view that comes of it.
 */
final class Patience {

    static final int TURNS_MAX = 3;

    private final long boundNanos;
    private @Nullable Member awaited;
    private long sinceNanos;
    private long progressNanos;

    /** The bound holds what a coordinator may wait for: hold-back, gathering, and two ballots of which each loses a member. */
    Patience(Membership.Timing timing) {
        this.boundNanos = timing.holdBackNanos() + 2 * timing.mergeDelayNanos() + 2 * timing.ballotTimeoutNanos();
    }

    long boundNanos() {
        return boundNanos;
    }

    /**
     * What this member waits for now.
     *
     * @param coordinator null if it waits for nothing
     */
    void await(@Nullable Member coordinator, long nowNanos) {
        if (coordinator != null && !coordinator.equals(awaited)) {
            sinceNanos = nowNanos;
            progressNanos = nowNanos;
        }
        awaited = coordinator;
    }

    /** A member has done what a coordinator does. */
    void onProgress(Member member, long nowNanos) {
        if (member.equals(awaited)) {
            progressNanos = nowNanos;
        }
    }

    /** When it ends, unless there is progress; {@link Long#MAX_VALUE} if this member waits for nothing. */
    long endNanos() {
        return awaited == null ? Long.MAX_VALUE : Math.min(progressNanos + boundNanos, sinceNanos + TURNS_MAX * boundNanos);
    }

    /** The member that is to be passed over; null if there is time. */
    @Nullable Member exhaustedBy(long nowNanos) {
        return endNanos() <= nowNanos ? awaited : null;
    }
}
