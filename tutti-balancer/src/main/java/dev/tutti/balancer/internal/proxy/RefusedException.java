package dev.tutti.balancer.internal.proxy;

import java.io.Serial;

/** A request that is not passed on. The message is for its client. */
final class RefusedException extends Exception {

    @Serial
    private static final long serialVersionUID = 1L;

    private final int status;

    RefusedException(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    int status() {
        return status;
    }
}
