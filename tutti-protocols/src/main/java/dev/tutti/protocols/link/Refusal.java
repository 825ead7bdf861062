package dev.tutti.protocols.link;

/** Why a connection is refused at its handshake. The order is the code on the wire. */
public enum Refusal {
    /** Not this protocol, or not decodable. */
    MALFORMED,
    /** No version in common. */
    VERSION,
    /** Another cluster. */
    CLUSTER,
    /** It is this node itself. */
    SELF,
    /** Another node, at another address, has the same incarnation. */
    INCARNATION,
    /** A newer incarnation at the same address is connected. */
    OLDER,
    /** The two have met: there is a connection, or a state that the HELLO did not know of. No fault of anybody. */
    KNOWN,
    /** Enough others do not hear it. */
    SUSPECTED,
    /** Not in time, or too many at once. */
    OVERLOAD,
    /** Its certificate is not one of this name and address, or another node answers at its address. */
    IDENTITY;

    private static final Refusal[] CODES = values();

    /** Whether it happens in normal service and nobody needs to hear of it. */
    public boolean isQuiet() {
        return this == SELF || this == KNOWN;
    }

    static Refusal of(int code) {
        return code < CODES.length ? CODES[code] : MALFORMED;
    }
}
