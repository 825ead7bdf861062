package dev.tutti.protocols.reliability;

import dev.tutti.core.stack.Timer;

/** Timers of {@link Reliability}. */
enum ReliabilityTimer implements Timer {

    /** Delayed acknowledgements are due. */
    ACK,

    /** The number of the last packet that all members have is to be announced. */
    STABLE,

    /** A leave has waited long enough for acknowledgements. */
    LEAVE,

    /** Lost multicasts are to be requested. */
    NACK,

    /** The number of the last multicast is to be announced, since no other follows it. */
    SENT,

    /** The members of the ring are to be examined for slow ones. */
    RING,

    /** A holder has not sent the packets that a flush has fetched from it. */
    FETCH
}
