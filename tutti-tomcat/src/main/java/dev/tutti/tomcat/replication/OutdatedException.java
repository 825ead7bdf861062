package dev.tutti.tomcat.replication;

/** Thrown when changes must be decided anew: this member was away, or the session has values of a later view. */
public final class OutdatedException extends Exception {

    private static final long serialVersionUID = 1;

    OutdatedException() {
        super("this member was away, or the session is from a later view");
    }
}
