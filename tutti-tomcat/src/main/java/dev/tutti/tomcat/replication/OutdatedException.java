package dev.tutti.tomcat.replication;

/** It has to be decided anew whether changes may be made: this member was away, or the session is from a later view. */
public final class OutdatedException extends Exception {

    private static final long serialVersionUID = 1;

    OutdatedException() {
        super("this member was away, or the session is from a later view");
    }
}
