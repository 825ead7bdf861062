package dev.tutti.core.driver;

/** A transport can't be opened; the message says what is wrong, where, and what would be right. */
public final class TransportException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public TransportException(String message) {
        super(message);
    }

    public TransportException(String message, Throwable cause) {
        super(message, cause);
    }
}
