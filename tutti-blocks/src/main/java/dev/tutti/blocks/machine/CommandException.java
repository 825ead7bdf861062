package dev.tutti.blocks.machine;

import org.jspecify.annotations.Nullable;

/** Thrown when a command has no result; tells the reason, and by {@link #execution} whether it was executed anyway. */
public final class CommandException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Reasons why there is no result. */
    public enum Reason {
        /** The limit of open commands is reached here. */
        TOO_MANY,
        /** The group took no further message. */
        NOT_SENT,
        /** The deadline has come. */
        TIMED_OUT,
        /** The group was left or lost, or the node closed. */
        CLOSED,
        /** This member came to another side's state, which goes on; or the state is lost, and a new era has begun. */
        REPLACED,
        /** It was delivered outside of the primary partition. */
        NOT_PRIMARY,
        /** The machine, or the read, has thrown the cause. */
        FAILED,
        /** The command's own codec can't read it. */
        MALFORMED,
        /** The thread was interrupted. */
        INTERRUPTED
    }

    /** Knowledge about the command's effect. */
    public enum Execution {
        /** It has no effect, and never will. */
        NEVER,
        /** It was executed, is still to be executed, or never will be. */
        UNKNOWN,
        /** It was executed, at all members alike. */
        ONCE
    }

    private final Reason reason;
    private final Execution execution;

    /** Constructor for deliveries of commands; it skips the stack trace, which would mean nothing to the caller. */
    private CommandException(Reason reason, Execution execution, String message, @Nullable Throwable cause, boolean isTraced) {
        super(message, cause, false, isTraced);
        this.reason = reason;
        this.execution = execution;
    }

    /** Returns a failure without the stack of its caller; for what is built on replicas. */
    public static CommandException of(Reason reason, Execution execution, String message) {
        return new CommandException(reason, execution, message, null, false);
    }

    static CommandException failed(Throwable cause) {
        return cause instanceof Error
                ? new CommandException(
                        Reason.FAILED, Execution.UNKNOWN, "an error has ended it, and this member leaves: " + cause, cause, false)
                : new CommandException(
                        Reason.FAILED, Execution.ONCE, "the machine has refused the command: " + cause, cause, false);
    }

    static CommandException unreadable(RuntimeException cause) {
        return new CommandException(
                Reason.MALFORMED, Execution.NEVER, "the codec can't read what it has written: " + cause, cause, true);
    }

    static CommandException failedRead(Throwable cause) {
        return new CommandException(Reason.FAILED, Execution.ONCE, "the read has failed: " + cause, cause, false);
    }

    /** Returns the same exception to throw again, with the caller's stack. */
    public CommandException here() {
        return new CommandException(reason, execution, String.valueOf(getMessage()), getCause(), true);
    }

    public Reason reason() {
        return reason;
    }

    public Execution execution() {
        return execution;
    }
}
