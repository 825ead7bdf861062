package dev.tutti.blocks.queue;

import java.io.Serial;

/** Thrown when an operation on a queue was not executed, or it is unknown whether it was. */
public final class QueueException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Reasons. */
    public enum Reason {
        /** Not executed: too much is under way. */
        REFUSED,
        /** It is unknown whether it was executed: the deadline, another side's state, an interrupt. */
        UNKNOWN,
        /** The queue was closed, or its group lost. */
        CLOSED
    }

    private final Reason reason;

    QueueException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
