package dev.tutti.blocks.map;

import java.io.Serial;

/** Thrown when a write was refused, or its result is unknown. */
public final class MapException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Reasons. */
    public enum Reason {
        /** It was not delivered in time, and may still be. */
        TIMED_OUT,
        /** The map is closed or the group was left. It may have reached others or not. */
        CLOSED,
        /** This member came to another side's map, which may have it or not. */
        REPLACED,
        /** The thread was interrupted. It may still be delivered. */
        INTERRUPTED,
        /** The map has reached its maximum of entries or bytes. Nothing was changed. */
        FULL,
        /** The group accepts nothing at present. Nothing was changed. */
        REFUSED,
        /** The map's codecs can't read what they have written. Nothing was sent. */
        UNREADABLE,
        /** This member's site may only read the map at present. Nothing was changed. */
        READ_ONLY,
        /** All attempts were overtaken by changes of others. Nothing was changed. */
        CONTENDED,
        /**
         * The member that was to make the change has left, or has failed to, before it answered; for maps with some copies of each entry.
         * The change was made once or not at all.
         */
        UNKNOWN
    }

    private final Reason reason;

    public MapException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public MapException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
