package dev.tutti.blocks.queue;

import java.io.Serial;

/** What was asked of a queue was not done, or it is not known whether it was. */
public final class QueueException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** Not executed: too much is under way. */
        REFUSED,
        /** Nobody can tell whether it was executed: the deadline, another side's state, an interrupt. */
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
