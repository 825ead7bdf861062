package dev.tutti;

import org.jspecify.annotations.Nullable;

/** A message was not accepted; the reason says why, and the message says what to do. */
public final class SendException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Why a send does not proceed. */
    public enum Reason {
        /** A member has not consumed what was sent before; it is named. */
        WINDOW_CLOSED,
        /** A view change is under way. */
        VIEW_CHANGE,
        /** What was submitted before has not been taken up yet. */
        QUEUE_FULL,
        /** The group was left, or the node closed. */
        NOT_JOINED,
        /** The receiver is not in the view. */
        NO_MEMBER,
        /** The thread was interrupted. */
        INTERRUPTED
    }

    private final Reason reason;

    public SendException(Reason reason, String message) {
        this(reason, message, null);
    }

    /** @param cause the failure by which the group was lost; null if there is none */
    public SendException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
