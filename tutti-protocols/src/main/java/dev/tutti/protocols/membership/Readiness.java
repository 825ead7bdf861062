package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.Outbox;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether it is time for a ballot that is wanted: what a coordinator waits for before it starts one [R3]. None of it is
 * needed for safety.
 */
final class Readiness {

    // Timers of the layer.
    static final int HOLD_BACK = 0;
    static final int GATHER = 1;
    static final int BACK_OFF = 2;
    static final int DISAGREEMENT = 4;

    /** Joins that come within this time share one view change; while more come, it grows. */
    private static final long GATHER_NANOS = 10_000_000;

    /**
     * How long a coordinator waits when one member of its view has lost another: it is likely to lose that one too, a tick
     * of the detector later at most, or the two find each other again.
     */
    private static final long DISAGREEMENT_NANOS = 300_000_000;

    /** After a refused ballot: 0 to this, doubled with each refusal in a row, eight times at most. */
    private static final long BACK_OFF_NANOS = 2_000_000;

    /** Of the hold-back: after it those are asked for whom it waits. */
    private static final int ASK_PART = 16;

    private final Member self;
    private final Peers peers;
    private final Membership.Timing timing;
    private final Gathering gathering;

    /** Members that ballots were held back for in vain. */
    private final Defaulters unsettled;

    private boolean isHeldBackEnough;
    private boolean hasAskedOrphans;
    private boolean isGatheredEnough;
    private boolean isDisagreementLasting;
    private @Nullable ViewId refusedBy;
    private int refusalsInARow;

    Readiness(Member self, Peers peers, Membership.Timing timing) {
        this.self = self;
        this.peers = peers;
        this.timing = timing;
        this.gathering = new Gathering(2 * timing.mergeDelayNanos());
        this.unsettled = new Defaulters(1, timing.ballotTimeoutNanos());
    }

    /** A session, a follower, or what a follower hears has come. */
    void onGrowth() {
        gathering.onGrowth();
    }

    void onTimer(int timer, Outbox out) {
        switch (timer) {
            case HOLD_BACK -> onHeldBack(out);
            case GATHER -> {
                int followers = peers.followersOutside();
                boolean isComplete = !peers.hearsSomebodyOlder() && !peers.hasIncompleteFollowers();
                long again = gathering.look(followers, isComplete, out.nowNanos());
                if (again > 0) {
                    out.arm(GATHER, again);
                } else {
                    isGatheredEnough = true;
                }
            }
            case DISAGREEMENT -> isDisagreementLasting = true;
            default -> {
                // The back-off is over: the timer being disarmed says so.
            }
        }
    }

    /** What it waits for may be known no better: those concerned are asked once. */
    private void onHeldBack(Outbox out) {
        isHeldBackEnough = hasAskedOrphans;
        if (isHeldBackEnough) {
            peers.unsettled().forEach(member -> unsettled.add(member, out.nowNanos()));
        }
        if (!hasAskedOrphans) {
            hasAskedOrphans = true;
            peers.orphans().forEach(orphan -> Control.send(Control.message(Kind.WHO, 1), orphan, out));
            out.arm(HOLD_BACK, timing.holdBackNanos() - timing.holdBackNanos() / ASK_PART);
        }
    }

    /** Members that no ballot is held back for. */
    Defaulters unsettled() {
        return unsettled;
    }

    // ------------------------------------------------------------------ waiting

    /**
     * Looking costs the square of the members: newcomers wait for the end of a ballot, and for each other.
     *
     * @param isIdle no ballot runs
     */
    boolean mustLook(boolean isIdle, Outbox out) {
        if (isGatheredEnough || isHeldBackEnough || out.isArmed(HOLD_BACK) || out.isArmed(DISAGREEMENT)) {
            return true;
        }
        if (isIdle && peers.followersOutside() > 0) {
            gather(out);
        }
        return false;
    }

    boolean isBackingOff(Outbox out) {
        return out.isArmed(BACK_OFF);
    }

    /** Somebody may not have noticed yet who is gone. */
    boolean mustHoldBack(Outbox out) {
        if (peers.isSettled()) {
            out.disarm(HOLD_BACK);
            isHeldBackEnough = false;
            return false;
        }
        if (!isHeldBackEnough && !out.isArmed(HOLD_BACK)) {
            hasAskedOrphans = false;
            out.arm(HOLD_BACK, timing.holdBackNanos() / ASK_PART);
        }
        return !isHeldBackEnough;
    }

    /** Members of the view disagree on who is there. */
    boolean mustAwaitAgreement(List<Member> candidates, Outbox out) {
        if (isDisagreementLasting || !peers.leavesOutFollowers(candidates)) {
            return false;
        }
        if (!out.isArmed(DISAGREEMENT)) {
            out.arm(DISAGREEMENT, DISAGREEMENT_NANOS);
        }
        return true;
    }

    /** More newcomers may come soon. */
    boolean mustGather(Outbox out) {
        if (!isGatheredEnough) {
            gather(out);
        }
        return !isGatheredEnough;
    }

    private void gather(Outbox out) {
        if (!out.isArmed(GATHER)) {
            long delayNanos = Math.min(GATHER_NANOS, timing.mergeDelayNanos());
            if (peers.hasPartOutside() && timing.mergeDelayNanos() > 0) {
                delayNanos = out.random().nextLong(timing.mergeDelayNanos());
            }
            gathering.begin(peers.followersOutside(), delayNanos, out.nowNanos());
            out.arm(GATHER, delayNanos);
        }
    }

    /** A ballot starts, or none is wanted any more. */
    void end(Outbox out) {
        out.disarm(HOLD_BACK);
        out.disarm(GATHER);
        out.disarm(DISAGREEMENT);
        isHeldBackEnough = false;
        isGatheredEnough = false;
        isDisagreementLasting = false;
    }

    // ------------------------------------------------------------------ refusals

    /** The next ballot has to be higher, and not at once. */
    void onRefused(ViewId otherPromised, long otherNumber, Outbox out) {
        noteRefusal(otherPromised);
        if (otherNumber > otherPromised.number()) {
            noteRefusal(new ViewId(otherNumber, Integer.MAX_VALUE, self));
        }
        long bound = BACK_OFF_NANOS << Math.min(refusalsInARow, 8);
        refusalsInARow++;
        out.arm(BACK_OFF, out.random().nextLong(bound));
    }

    private void noteRefusal(ViewId other) {
        if (refusedBy == null || other.isAfter(refusedBy)) {
            refusedBy = other;
        }
    }

    /** The higher of a promise and what has refused. */
    ViewId highest(ViewId promised) {
        return refusedBy == null || promised.isAfter(refusedBy) ? promised : refusedBy;
    }

    /** A view is installed, and nothing is promised beyond it. */
    void onSteady() {
        refusedBy = null;
        refusalsInARow = 0;
    }
}
