package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Limits the wait of this member for its coordinator, which has to run a ballot for it. A coordinator that shows no
 * progress with a ballot within {@link #boundNanos} is passed over, and so is one that shows progress for {@value
 * #TURNS_MAX} times as long without a resulting view.
 */
final class Patience {

    static final int TURNS_MAX = 3;

    /** Coordinators that are remembered in one view change; with more than these, all waits begin anew. */
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

    /** Waits by address, so that a coordinator gets no more time by losing its session and coming back. */
    private final TreeMap<String, Wait> waits = new TreeMap<>();

    private @Nullable Member awaited;

    /** The bound covers a coordinator's own waits: hold-back, gathering, and two ballots that each lose a member. */
    Patience(Membership.Timing timing) {
        this.boundNanos = timing.holdBackNanos() + 2 * timing.mergeDelayNanos() + 2 * timing.ballotTimeoutNanos();
    }

    long boundNanos() {
        return boundNanos;
    }

    /** Ends all waits: there is nothing to be done any more. */
    void end() {
        awaited = null;
        waits.clear();
    }

    /** Stops waiting while this member has to do the work itself. */
    void pause() {
        awaited = null;
    }

    /** Begins to wait for a coordinator, or continues. */
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

    /** Notes an action of a member that only a coordinator performs. */
    void onProgress(Member member, long nowNanos) {
        Wait wait = present();
        if (wait != null && member.equals(awaited)) {
            wait.progressNanos = nowNanos;
        }
    }

    /** Returns the end of the wait without progress; {@link Long#MAX_VALUE} if this member waits for nobody. */
    long endNanos() {
        Wait wait = present();
        return wait == null
                ? Long.MAX_VALUE
                : Math.min(wait.progressNanos + boundNanos, wait.sinceNanos + TURNS_MAX * boundNanos);
    }

    /** Returns the member that has exhausted its time and is to be passed over; null if there is none. */
    @Nullable Member exhaustedBy(long nowNanos) {
        Member exhausted = endNanos() <= nowNanos ? awaited : null;
        if (exhausted != null) {
            waits.remove(exhausted.node().address());
            awaited = null;
        }
        return exhausted;
    }
}
