package dev.tutti.protocols.membership;

import dev.tutti.core.stack.Timer;

/** Timers of {@link Membership}. */
enum MembershipTimer implements Timer {

    /** The members that a ballot was held back for have had enough time. */
    HOLD_BACK,

    /** Newcomers are gathered, or gathering goes on. */
    GATHER,

    /** The pause after a refused ballot is over. */
    BACK_OFF,

    /** A ballot has made no progress. */
    PROGRESS,

    /** Members of the view still disagree on its members. */
    DISAGREEMENT,

    /** A leave has waited long enough for the consent of others. */
    LEAVE,

    /** A coordinator has made no progress for too long. */
    PATIENCE,

    /** A member that was left out is waited for again. */
    RETURN
}
