package dev.tutti.tomcat.replication;

/** Why a session ended. The order is that of the wire format. */
public enum EndReason {
    /** Nobody used it for too long, as far as the member knew that ended it. */
    EXPIRED,
    /** Somebody ended it, a log-out for example: it must not come back. */
    INVALIDATED
}
