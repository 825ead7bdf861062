package dev.tutti.stomp.client;

/** Thrown when a server can't be reached or refuses something, or when a client has no room; the message says why. */
public final class StompException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public StompException(String message) {
        super(message);
    }
}
