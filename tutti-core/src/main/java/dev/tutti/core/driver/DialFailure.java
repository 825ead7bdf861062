package dev.tutti.core.driver;

/** Why a connection did not come about; what a node concludes from it differs. */
public enum DialFailure {
    /** The host is there and nobody listens: the process that used to is gone. */
    REFUSED,
    /** No answer within the connect time-out, or no route: nothing is known about the process. */
    UNREACHABLE,
    /** The name has no address. */
    UNRESOLVED,
    /** The connection came about and ended before the session was open: one of the two may not trust the other. */
    UNTRUSTED
}
