package dev.tutti.tomcat.replication;

/** Thrown when changes can't be sent any more: the member has left its group. */
public final class StoppedException extends StalledException {

    private static final long serialVersionUID = 1;

    public StoppedException() {
        super("the application's session manager was stopped");
    }
}
