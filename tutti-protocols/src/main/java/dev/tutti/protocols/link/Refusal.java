package dev.tutti.protocols.link;

/** Reason for refusing a connection at its handshake. The ordinal is the code on the wire. */
public enum Refusal {
    /** Not this protocol, or not decodable. */
    MALFORMED,
    /** No version in common. */
    VERSION,
    /** Another cluster. */
    CLUSTER,
    /** The connection is from this node itself. */
    SELF,
    /** Another node, at another address, has the same incarnation. */
    INCARNATION,
    /** A newer incarnation at the same address is connected. */
    OLDER,
    /** The two have met: there is a connection, or a state that the HELLO did not know of. This is no error. */
    KNOWN,
    /** Enough other nodes do not hear the node. */
    SUSPECTED,
    /** Not in time, or too many at once. */
    OVERLOAD,
    /** Its certificate is not one of this name and address, or another node answers at its address. */
    IDENTITY,
    /** The rules of the other node do not let it in. */
    ADMISSION;

    private static final Refusal[] CODES = values();

    /** Returns whether it happens in normal operation and need not be reported. */
    public boolean isQuiet() {
        return this == SELF || this == KNOWN;
    }

    /**
     * Returns whether the other end is told the details although it may be anybody: they say nothing of this node but the
     * versions that it speaks, or its load.
     */
    boolean isOpenToAll() {
        return this == MALFORMED || this == VERSION || this == OVERLOAD;
    }

    static Refusal of(int code) {
        return code < CODES.length ? CODES[code] : MALFORMED;
    }
}
