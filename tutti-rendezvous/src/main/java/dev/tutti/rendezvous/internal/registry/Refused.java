package dev.tutti.rendezvous.internal.registry;

import java.io.Serial;

/** A request that can't be fulfilled, as HTTP says it. */
public final class Refused extends Exception {

    public static final int BAD_REQUEST = 400;
    public static final int UNAUTHORIZED = 401;
    public static final int FORBIDDEN = 403;
    public static final int NOT_FOUND = 404;
    public static final int TOO_MANY = 429;
    public static final int UNAVAILABLE = 503;
    public static final int TIMEOUT = 504;

    @Serial
    private static final long serialVersionUID = 1;

    private final int status;

    /** @param reason what is wrong, and what would be right, in one line */
    public Refused(int status, String reason) {
        super(reason, null, false, false);
        this.status = status;
    }

    public int status() {
        return status;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
