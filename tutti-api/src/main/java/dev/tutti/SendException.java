package dev.tutti;

import org.jspecify.annotations.Nullable;

/** Thrown when a message was not accepted; the reason says why, and the message what to do. */
public final class SendException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Why a send does not proceed. */
    public enum Reason {
        /** A member has not consumed earlier messages for {@code send-timeout}; it is named. */
        WINDOW_CLOSED,
        /** A view change has taken longer than {@code send-timeout}. */
        VIEW_CHANGE,
        /** This member has been outside of the primary partition for {@code send-timeout}. */
        NOT_PRIMARY,
        /** Too much waits that was submitted before: for the loop, for the window, or for receipts. */
        QUEUE_FULL,
        /**
         * A listener would have to wait for itself: for its member's own window, which opens when it has returned, or,
         * in a group that is {@link GroupBuilder#inline}, for the loop that it runs on.
         */
        LISTENER,
        /** The receiver is not in the view. */
        NO_MEMBER,
        /**
         * The message is too long to be sent in this way, or for a receiver: it is named, with its {@code
         * message-bytes-max}.
         */
        TOO_LARGE,
        /** The thread was interrupted. */
        INTERRUPTED,
        /** The group was left by {@link Group#close}. */
        LEFT,
        /** The group has ended by itself, because of an error, which is the cause if there is one. */
        LOST,
        /** The node is closed. */
        NODE_CLOSED;

        /** Returns whether nothing can be sent through this {@link Group} any more. */
        public boolean isFinal() {
            return this == LEFT || this == LOST || this == NODE_CLOSED;
        }
    }

    private final Reason reason;

    public SendException(Reason reason, String message) {
        this(reason, message, null);
    }

    /** @param cause the failure because of which the group was lost; null if there is none */
    public SendException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
