package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;

/** Decides which members this one waits for, and which it has waited for too often (docs/design/peers.md). */
final class Trust {

    /** Members that have not answered ballots. */
    private final Defaulters silent;

    /** Coordinators that made no progress. */
    private final Defaulters idle;

    /** Members for which ballots were held back in vain. */
    private final Defaulters unsettled;

    private final Patience patience;

    Trust(Membership.Timing timing) {
        this.silent = new Defaulters(1, timing.ballotTimeoutNanos());
        this.idle = new Defaulters(0, timing.ballotTimeoutNanos());
        this.unsettled = new Defaulters(1, timing.ballotTimeoutNanos());
        this.patience = new Patience(timing);
    }

    /** Returns the members for which no ballot is held back; those that pace ballots add to it. */
    Defaulters unsettled() {
        return unsettled;
    }

    // ------------------------------------------------------------------ what happens

    /** Notes the end of the session with a member, which may have been the cause of all waiting. */
    void onClosed(Member member, Outbox out) {
        silent.forgiveOthers(member, out.nowNanos());
        idle.forgiveOthers(member, out.nowNanos());
        unsettled.forgiveOthers(member, out.nowNanos());
    }

    /** Notes an action of a member that only a coordinator performs. */
    void onProgress(Member member, Outbox out) {
        patience.onProgress(member, out.nowNanos());
    }

    /** Notes that a member has kept the others waiting. From the second time on it is left out for a while. */
    void leaveOut(Member member, String reason, Outbox out) {
        long pauseNanos = silent.add(member, out.nowNanos());
        if (pauseNanos > 0) {
            out.lower(new Signal.Peer.Distrusted(member, "is left out of views for " + pauseNanos / SECOND_NANOS + " s: " + reason));
        }
    }

    /** Passes the coordinator over if it has made no progress for too long. */
    void passOver(Outbox out) {
        Member coordinator = patience.exhaustedBy(out.nowNanos());
        if (coordinator != null) {
            long pauseNanos = idle.add(coordinator, out.nowNanos());
            out.lower(new Signal.Peer.Distrusted(
                    coordinator,
                    "is not followed for " + pauseNanos / SECOND_NANOS + " s: it coordinates and no view comes of it"));
        }
    }

    // ------------------------------------------------------------------ what follows

    /** Tells {@code peers} which members not to wait for now. */
    void apply(Peers peers, Outbox out) {
        long now = out.nowNanos();
        peers.distrust(silent.leftOut(now), idle.leftOut(now), unsettled.leftOut(now));
        long next = Math.min(silent.nextReturnNanos(now), idle.nextReturnNanos(now));
        if (next != Long.MAX_VALUE) {
            out.arm(MembershipTimer.RETURN, next - now);
        }
    }

    /** Ends the wait: there is nothing to be done any more. */
    void end(Outbox out) {
        patience.end();
        out.disarm(MembershipTimer.PATIENCE);
    }

    /** Stops the wait while this member has to do the work itself. */
    void pause(Outbox out) {
        patience.pause();
        out.disarm(MembershipTimer.PATIENCE);
    }

    /** @param coordinator member that has to act for this one now */
    void await(Member coordinator, Outbox out) {
        patience.await(coordinator, out.nowNanos());
        out.arm(MembershipTimer.PATIENCE, patience.endNanos() - out.nowNanos());
    }

    void report(Report section) {
        section.put("members-left-out", silent.total());
        section.put("coordinators-passed-over", idle.total());
    }

    private static final long SECOND_NANOS = 1_000_000_000L;
}
