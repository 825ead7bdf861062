package dev.tutti.tomcat.replication.holders;

/** The session of a request is at other members, and none of them has answered in time. */
public final class UnreachableException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public UnreachableException(String message) {
        super(message);
    }
}
