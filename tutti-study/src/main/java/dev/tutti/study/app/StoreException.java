package dev.tutti.study.app;

/** A failure of the database. */
public final class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Creates the failure of what {@code message} names. */
    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
