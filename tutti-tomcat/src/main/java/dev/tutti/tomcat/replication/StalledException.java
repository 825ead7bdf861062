package dev.tutti.tomcat.replication;

/** Thrown when changes can't be sent for now; they are kept, and are to be offered again. */
public class StalledException extends Exception {

    private static final long serialVersionUID = 1;

    StalledException(String message) {
        super(message);
    }
}
