package dev.tutti.internal.submission;

import dev.tutti.SendException;
import dev.tutti.SendException.Reason;
import dev.tutti.core.Member;
import dev.tutti.protocols.packing.Outgoing;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a listener from waiting in a send for a window that its own member holds closed: that window opens when this
 * member consumes messages, and it consumes none before the listener has returned. Waiting for the loop, for a view and
 * for other members is allowed.
 *
 * <p>Called with the lock of the {@link SubmissionQueue}.
 */
final class OwnWindow {

    /**
     * Number of looks that have to agree: in the turn of the first, layers may not have told each other of the window
     * yet.
     */
    private static final int LOOKS_MAX = 2;

    /** Time after which a listener looks again while other threads consume. */
    private static final long LOOK_NANOS = 100_000_000;

    private final SubmissionOwner owner;
    private final Outgoing outgoing;

    /** Number of looks in a row after which this member itself kept the window closed. */
    private int looks;

    /** A look was requested, and has not been answered since. */
    private boolean isLookAsked;

    /** The next explanation belongs to the requested look. */
    private boolean isLooking;

    OwnWindow(SubmissionOwner owner, Outgoing outgoing) {
        this.owner = owner;
        this.outgoing = outgoing;
    }

    /**
     * Checks that a listener may wait; to be called again after each explanation.
     *
     * @return time after which it is to be called again in any case
     * @throws SendException if the listener would wait for itself
     */
    public long check() {
        if (!isOwn(outgoing.closedBy())) {
            return Long.MAX_VALUE;
        }
        if (owner.isConsumingAside()) {
            looks = 0;
            return LOOK_NANOS;
        }
        if (looks >= LOOKS_MAX) {
            looks = 0;
            throw new SendException(Reason.LISTENER, "a listener would have to wait in send for messages that are delivered here only when it"
                    + " has returned: " + outgoing.waitsFor() + ", which is this member; use sendAsync, or send from another thread");
        }
        if (!isLookAsked) {
            isLookAsked = true;
            owner.look();
        }
        return Long.MAX_VALUE;
    }

    private boolean isOwn(@Nullable Member closer) {
        return closer != null && closer.equals(owner.self());
    }

    /** Notes that the stack is about to look. */
    public void onLook() {
        isLooking = true;
    }

    /** Notes that the stack has explained what sends wait for. */
    void onExplained() {
        if (!isOwn(outgoing.closedBy())) {
            looks = 0;
        } else if (isLooking) {
            looks++;
        }
        if (isLooking) {
            isLooking = false;
            isLookAsked = false;
        }
    }
}
