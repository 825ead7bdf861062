package dev.tutti.grid.internal.door;

import java.io.Serial;

/** A request that is not answered as it was asked, with the status of HTTP and the reason. */
public final class RefusedException extends Exception {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Most characters of a reason: it may repeat texts of the request. */
    private static final int REASON_MAX = 500;

    private final int status;

    public RefusedException(int status, String reason) {
        super(reason.substring(0, Math.min(REASON_MAX, reason.length())), null, false, false);
        this.status = status;
    }

    public int status() {
        return status;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
