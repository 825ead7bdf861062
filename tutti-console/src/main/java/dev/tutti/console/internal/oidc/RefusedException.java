package dev.tutti.console.internal.oidc;

/** Thrown if a provider's answer lets nobody in; the message says why, for the log. */
final class RefusedException extends Exception {

    private static final long serialVersionUID = 1;

    RefusedException(String message) {
        super(message);
    }

    RefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
