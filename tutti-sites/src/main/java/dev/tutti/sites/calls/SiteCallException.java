package dev.tutti.sites.calls;

/** Thrown when a call of a member at another site has no answer. */
public final class SiteCallException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Reasons why there is no answer. */
    public enum Reason {
        /** The site is not connected, or it has no such member. Nothing was executed. */
        UNREACHABLE,
        /** The group took no further message, or too many calls are open here. Nothing was executed. */
        NOT_SENT,
        /** The member had too much to do, no handler, or could not read the request; or this came too late. Nothing was executed. */
        REFUSED,
        /** The handler has failed, or its answer can't be read. The call was executed. */
        FAILED,
        /** There was no answer in time. The call was executed once, or will be, or not at all. */
        TIMED_OUT,
        /** The group was left before the answer. The call was executed once, or will be, or not at all. */
        CLOSED,
        /** The thread was interrupted. The call was executed once, or will be, or not at all. */
        INTERRUPTED
    }

    private final Reason reason;

    SiteCallException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    /** Returns the same for the stack of the caller. */
    SiteCallException here() {
        SiteCallException here = new SiteCallException(reason, String.valueOf(getMessage()));
        here.initCause(this);
        return here;
    }
}
