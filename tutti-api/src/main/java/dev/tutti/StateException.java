package dev.tutti;

/** Thrown when a member could not get the group's state, and has left. */
public final class StateException extends IllegalStateException {

    private static final long serialVersionUID = 1;

    public StateException(String message) {
        super(message);
    }

    public StateException(String message, Throwable cause) {
        super(message, cause);
    }
}
