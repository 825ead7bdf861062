package dev.tutti.tomcat.replication;

/** Changes can't be sent for now; they stay where they are and are to be offered again. */
public class StalledException extends Exception {

    private static final long serialVersionUID = 1;

    StalledException(String message) {
        super(message);
    }
}
