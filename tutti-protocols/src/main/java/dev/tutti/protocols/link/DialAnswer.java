package dev.tutti.protocols.link;

/** Result of a dial. */
public enum DialAnswer {
    /** A session with the node is open. */
    CONNECTED,
    /** The address is this node's own. */
    SELF,
    /** The node is there, and has to be dialled again with what is known of it now. */
    AGAIN,
    /** The node is there, and enough others do not hear it yet. */
    SUSPECTED,
    /** Nobody listens, the address is not reachable, or the remote end is no peer. */
    FAILED,
    /** Refused, or of no use, for a reason that lasts. */
    REFUSED
}
