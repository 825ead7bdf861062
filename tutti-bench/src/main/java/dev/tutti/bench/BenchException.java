package dev.tutti.bench;

/** Thrown when a measurement can't be made or has failed; the message says which and why. */
public final class BenchException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public BenchException(String message) {
        super(message);
    }

    public BenchException(String message, Throwable cause) {
        super(message, cause);
    }
}
