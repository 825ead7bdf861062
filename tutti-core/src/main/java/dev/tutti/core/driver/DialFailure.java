package dev.tutti.core.driver;

/** Reason why a connection could not be opened, from which a node draws different conclusions. */
public enum DialFailure {
    /** The host answers and no process listens: the one that used to is gone. */
    REFUSED,
    /** No answer within the connect time-out, or no route: nothing is known about the process. */
    UNREACHABLE,
    /** The name has no address. */
    UNRESOLVED,
    /** The connection was opened and ended before the session was open: one of the two may not trust the other. */
    UNTRUSTED
}
