package dev.tutti.core.driver;

/** A transport can't be opened; the message states the problem, its place and the remedy. */
public final class TransportException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public TransportException(String message) {
        super(message);
    }

    public TransportException(String message, Throwable cause) {
        super(message, cause);
    }
}
