package dev.tutti.blocks.calls;

import org.jspecify.annotations.Nullable;

/** Thrown when a call has no value; the reason and, where a member was asked, its outcome say why. */
public final class CallException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Reasons why a call has no value. */
    public enum Reason {
        /** The outcome at the member is not a value. */
        OUTCOME,
        /** Of several members, none has a value. */
        NO_VALUE,
        /** The limit of open calls is reached here. Nobody was asked. */
        TOO_MANY_CALLS,
        /** The group took no further message. Nobody was asked. */
        NOT_SENT,
        /** The condition that the call was to wait for has thrown. */
        CONDITION,
        /** The group was left, or the node closed. */
        CLOSED,
        /** The thread was interrupted, and the call cancelled. */
        INTERRUPTED
    }

    private final Reason reason;
    private final transient @Nullable Outcome<?> outcome;

    CallException(Reason reason, String message) {
        super(message);
        this.reason = reason;
        this.outcome = null;
    }

    /** Constructor for answers as they arrive; it skips the stack trace, which would mean nothing to the caller. */
    private CallException(Reason reason, String message, @Nullable Outcome<?> outcome) {
        super(message, null, false, false);
        this.reason = reason;
        this.outcome = outcome;
    }

    /** Constructor for rethrowing on the caller's own stack. */
    private CallException(CallException original) {
        super(original.getMessage());
        this.reason = original.reason;
        this.outcome = original.outcome;
    }

    static CallException of(Object member, Outcome<?> outcome) {
        String text =
                switch (outcome) {
                    case Outcome.Value<?> value -> throw new IllegalArgumentException(value + " is no failure");
                    case Outcome.Failure<?>(String type, String message) ->
                        "the handler at " + member + " has failed: " + type + (message.isEmpty() ? "" : ": " + message);
                    case Outcome.Refused<?>(Refusal refusal, String detail) ->
                        member + " has refused the call, " + refusal + ": " + detail;
                    case Outcome.Suspected<?>() -> member + " has left the view before it answered";
                    case Outcome.Unreachable<?>() -> member + " is not in the view, or about to leave it";
                    case Outcome.TimedOut<?>() -> member + " has not answered before the deadline";
                    case Outcome.Unanswered<?>() -> member + " had not answered when the call was over";
                };
        return new CallException(Reason.OUTCOME, text, outcome);
    }

    static CallException of(Reason reason, String message) {
        return new CallException(reason, message, null);
    }

    CallException here() {
        return new CallException(this);
    }

    public Reason reason() {
        return reason;
    }

    /** Returns the call's outcome at its member; null unless for {@link Reason#OUTCOME}, or after serialization. */
    public @Nullable Outcome<?> outcome() {
        return outcome;
    }
}
