package dev.tutti.tomcat.replication.session;

/** Reason for the end of a session. The order is that of the wire format. */
public enum EndReason {
    /** It was idle for too long, as far as the member that ended it knew. */
    EXPIRED,
    /** It was ended explicitly, by a log-out for example, and must not come back. */
    INVALIDATED
}
