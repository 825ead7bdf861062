package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides how long this member waits for the one that it follows, which has to run a ballot for it. A coordinator that says
 * nothing about a ballot within {@link #boundNanos} is passed over, and so is one that talks for {@value #TURNS_MAX} times as
 * long without a view that comes of it.
 */
final class Patience {

    static final int TURNS_MAX = 3;

    /** Coordinators that are waited for in one view change; with more than these all begin anew. */
    private static final int WAITS_MAX = 64;

    private static final class Wait {
        final long sinceNanos;
        long progressNanos;

        Wait(long nowNanos) {
            sinceNanos = nowNanos;
            progressNanos = nowNanos;
        }
    }

    private final long boundNanos;

    /** By address. A coordinator whose session is lost and comes back is waited for no longer than one that stays. */
    private final TreeMap<String, Wait> waits = new TreeMap<>();

    private @Nullable Member awaited;

    /** The bound holds what a coordinator may wait for: hold-back, gathering, and two ballots of which each loses a member. */
    Patience(Membership.Timing timing) {
        this.boundNanos = timing.holdBackNanos() + 2 * timing.mergeDelayNanos() + 2 * timing.ballotTimeoutNanos();
    }

    long boundNanos() {
        return boundNanos;
    }

    /** This member waits for nothing: what it has waited for is over. */
    void end() {
        awaited = null;
        waits.clear();
    }

    /** There is something to be done, and at present this member has to do it itself. */
    void pause() {
        awaited = null;
    }

    /** This member waits for a coordinator. */
    void await(Member coordinator, long nowNanos) {
        if (coordinator.equals(awaited)) {
            return;
        }
        awaited = coordinator;
        String address = coordinator.node().address();
        Wait wait = waits.get(address);
        if (wait != null) {
            wait.progressNanos = nowNanos;
            return;
        }
        if (waits.size() >= WAITS_MAX) {
            waits.clear();
        }
        waits.put(address, new Wait(nowNanos));
    }

    private @Nullable Wait present() {
        return awaited == null ? null : waits.get(awaited.node().address());
    }

    /** A member has done what a coordinator does. */
    void onProgress(Member member, long nowNanos) {
        Wait wait = present();
        if (wait != null && member.equals(awaited)) {
            wait.progressNanos = nowNanos;
        }
    }

    /** When it ends, unless there is progress; {@link Long#MAX_VALUE} if this member waits for nobody. */
    long endNanos() {
        Wait wait = present();
        return wait == null
                ? Long.MAX_VALUE
                : Math.min(wait.progressNanos + boundNanos, wait.sinceNanos + TURNS_MAX * boundNanos);
    }

    /** Returns the member that is to be passed over, for which this one waits no longer; null if there is time. */
    @Nullable Member exhaustedBy(long nowNanos) {
        Member exhausted = endNanos() <= nowNanos ? awaited : null;
        if (exhausted != null) {
            waits.remove(exhausted.node().address());
            awaited = null;
        }
        return exhausted;
    }
}
