package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.Outbox;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a coordinator starts a ballot that is needed: the waits before it [R3]. None of them is needed for
 * safety.
 */
final class BallotPacing {

    /** Joins that come within this time share one view change; while more come, it grows. */
    private static final long GATHER_NANOS = 10_000_000;

    /**
     * Time for which a coordinator waits when one member of its view has lost another. Most likely it will lose that
     * one too, at most a tick of the detector later, or the two will find each other again.
     */
    private static final long DISAGREEMENT_NANOS = 300_000_000;

    /** Upper bound of the random pause after a refused ballot; each refusal in a row doubles it, up to eight times. */
    private static final long BACK_OFF_NANOS = 2_000_000;

    /** Divisor of the hold-back: after this part of it, the members that it waits for are asked. */
    private static final int ASK_PART = 16;

    private final Member self;
    private final Peers peers;
    private final Membership.Timing timing;
    private final Gathering gathering;

    private final Defaulters unsettled;

    private boolean isHeldBackEnough;
    private boolean hasAskedOrphans;
    private boolean isGatheredEnough;
    private boolean isDisagreementLasting;
    private @Nullable ViewId refusedBy;
    private int refusalsInARow;

    /** @param unsettled record to add members to for which ballots were held back in vain */
    BallotPacing(Member self, Peers peers, Membership.Timing timing, Defaulters unsettled) {
        this.self = self;
        this.peers = peers;
        this.timing = timing;
        this.gathering = new Gathering(2 * timing.mergeDelayNanos());
        this.unsettled = unsettled;
    }

    /** Notes that a session, a follower, or a session of a follower was added. */
    void onGrowth() {
        gathering.onGrowth();
    }

    void onTimer(MembershipTimer timer, Outbox out) {
        switch (timer) {
            case HOLD_BACK -> onHeldBack(out);
            case GATHER -> {
                int followers = peers.followersOutside();
                boolean isComplete = !peers.hearsSomebodyOlder() && !peers.hasIncompleteFollowers();
                long again = gathering.look(followers, isComplete, out.nowNanos());
                if (again > 0) {
                    out.arm(MembershipTimer.GATHER, again);
                } else {
                    isGatheredEnough = true;
                }
            }
            case DISAGREEMENT -> isDisagreementLasting = true;
            default -> {
                // The back-off is over, which shows by the timer being disarmed.
            }
        }
    }

    /** Ends the hold-back, after asking the orphans once: their adverts may be outdated. */
    private void onHeldBack(Outbox out) {
        isHeldBackEnough = hasAskedOrphans;
        if (isHeldBackEnough) {
            peers.unsettled().forEach(member -> unsettled.add(member, out.nowNanos()));
        }
        if (!hasAskedOrphans) {
            hasAskedOrphans = true;
            peers.orphans().forEach(orphan -> Control.send(Control.message(MembershipMessage.WHO, 1), orphan, out));
            out.arm(MembershipTimer.HOLD_BACK, timing.holdBackNanos() - timing.holdBackNanos() / ASK_PART);
        }
    }

    // ------------------------------------------------------------------ waiting

    /**
     * Returns whether to evaluate the candidates now. That takes quadratic time in the members, so newcomers wait for
     * the end of a ballot, and for each other.
     *
     * @param isIdle no ballot runs
     */
    boolean mustLook(boolean isIdle, Outbox out) {
        if (isGatheredEnough || isHeldBackEnough || out.isArmed(MembershipTimer.HOLD_BACK) || out.isArmed(MembershipTimer.DISAGREEMENT)) {
            return true;
        }
        if (isIdle && peers.followersOutside() > 0) {
            gather(out);
        }
        return false;
    }

    boolean isBackingOff(Outbox out) {
        return out.isArmed(MembershipTimer.BACK_OFF);
    }

    /** Returns whether to wait because a peer may not have noticed a loss yet. */
    boolean mustHoldBack(Outbox out) {
        if (peers.isSettled()) {
            out.disarm(MembershipTimer.HOLD_BACK);
            isHeldBackEnough = false;
            return false;
        }
        if (!isHeldBackEnough && !out.isArmed(MembershipTimer.HOLD_BACK)) {
            hasAskedOrphans = false;
            out.arm(MembershipTimer.HOLD_BACK, timing.holdBackNanos() / ASK_PART);
        }
        return !isHeldBackEnough;
    }

    /** Returns whether to wait because members of the view disagree on its members. */
    boolean mustAwaitAgreement(List<Member> candidates, Outbox out) {
        if (isDisagreementLasting || !peers.leavesOutFollowers(candidates)) {
            return false;
        }
        if (!out.isArmed(MembershipTimer.DISAGREEMENT)) {
            out.arm(MembershipTimer.DISAGREEMENT, DISAGREEMENT_NANOS);
        }
        return true;
    }

    /** Returns whether to wait for more newcomers. */
    boolean mustGather(Outbox out) {
        if (!isGatheredEnough) {
            gather(out);
        }
        return !isGatheredEnough;
    }

    private void gather(Outbox out) {
        if (!out.isArmed(MembershipTimer.GATHER)) {
            long delayNanos = Math.min(GATHER_NANOS, timing.mergeDelayNanos());
            if (peers.hasPartOutside() && timing.mergeDelayNanos() > 0) {
                delayNanos = out.random().nextLong(timing.mergeDelayNanos());
            }
            gathering.begin(peers.followersOutside(), delayNanos, out.nowNanos());
            out.arm(MembershipTimer.GATHER, delayNanos);
        }
    }

    /** Ends all waits because a ballot starts, or none is needed any more. */
    void end(Outbox out) {
        out.disarm(MembershipTimer.HOLD_BACK);
        out.disarm(MembershipTimer.GATHER);
        out.disarm(MembershipTimer.DISAGREEMENT);
        isHeldBackEnough = false;
        isGatheredEnough = false;
        isDisagreementLasting = false;
    }

    // ------------------------------------------------------------------ refusals

    /** Notes a refusal: the next ballot has to be higher, and is delayed. */
    void onRefused(ViewId otherPromised, long otherNumber, Outbox out) {
        noteRefusal(otherPromised);
        if (otherNumber > otherPromised.number()) {
            noteRefusal(new ViewId(otherNumber, Integer.MAX_VALUE, self));
        }
        long bound = BACK_OFF_NANOS << Math.min(refusalsInARow, 8);
        refusalsInARow++;
        out.arm(MembershipTimer.BACK_OFF, out.random().nextLong(bound));
    }

    private void noteRefusal(ViewId other) {
        if (refusedBy == null || other.isAfter(refusedBy)) {
            refusedBy = other;
        }
    }

    /** Returns the higher of a promise and the ballot that has refused. */
    ViewId highest(ViewId promised) {
        return refusedBy == null || promised.isAfter(refusedBy) ? promised : refusedBy;
    }

    /** Notes that a view is installed, and nothing is promised beyond it. */
    void onSteady() {
        refusedBy = null;
        refusalsInARow = 0;
    }
}
