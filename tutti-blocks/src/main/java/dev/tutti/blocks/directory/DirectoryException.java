package dev.tutti.blocks.directory;

import java.io.Serial;

/** Thrown when an operation on a directory is impossible or refused, or its result is unknown. */
public final class DirectoryException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Reasons. The first six mean that nothing was changed. */
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
        /** The maximum number of names is reached. */
        FULL,
        /** Not executed: too much is under way. */
        REFUSED,
        /** It is unknown whether it was executed: the deadline, another side's state, an interrupt. */
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

    /** Returns the number of the path's names, from the root, that exist. */
    public int resolved() {
        return resolved;
    }
}
