package dev.tutti.blocks.map;

import java.io.Serial;

/** A write that was refused, or of which it is not known what has become. */
public final class MapException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** Not delivered in time. It may still be. */
        TIMED_OUT,
        /** The map is closed or the group was left. It may have reached others, and may not. */
        CLOSED,
        /** This member came to another side's map, which may have it or not. */
        REPLACED,
        /** The thread was interrupted. It may still be delivered. */
        INTERRUPTED,
        /** The map has as many entries or bytes as it may. Nothing was changed. */
        FULL,
        /** The group takes nothing at present. Nothing was changed. */
        REFUSED,
        /** The map's codecs can't read what they have written. Nothing was sent. */
        UNREADABLE,
        /** It was tried again and again, and others have always been faster. Nothing was changed. */
        CONTENDED
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
