package dev.tutti.bench;

/** Thrown when a measurement can't be made or has failed; the message says which and why. */
final class BenchException extends RuntimeException {

    private static final long serialVersionUID = 1;

    BenchException(String message) {
        super(message);
    }

    BenchException(String message, Throwable cause) {
        super(message, cause);
    }
}
