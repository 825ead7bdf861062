package dev.tutti.blocks.directory;

import java.io.Serial;

/** What was asked of a directory can't be, or it is not known what has become of it. */
public final class DirectoryException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Why. The first six say that nothing was changed. */
    public enum Reason {
        /** There is nothing under this path, or no context that it would be in. */
        NOT_FOUND,
        /** There is something under this path. */
        ALREADY_BOUND,
        /** There is a value where a context should be. */
        NOT_A_CONTEXT,
        /** There is a context where a value should be. */
        IS_A_CONTEXT,
        /** There is something in the context. */
        NOT_EMPTY,
        /** There are as many names as there may be. */
        FULL,
        /** Not executed: too much is under way. */
        REFUSED,
        /** Nobody can tell whether it was executed: the deadline, another side's state, an interrupt. */
        UNKNOWN,
        /** The directory was closed, or its group lost. */
        CLOSED
    }

    private final Reason reason;
    private final int resolved;

    DirectoryException(Reason reason, int resolved, String message) {
        super(message);
        this.reason = reason;
        this.resolved = resolved;
    }

    DirectoryException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.resolved = 0;
    }

    public Reason reason() {
        return reason;
    }

    /** How many names of the path, from the root, lead to something that is there. */
    public int resolved() {
        return resolved;
    }
}
