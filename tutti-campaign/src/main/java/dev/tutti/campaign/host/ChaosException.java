package dev.tutti.campaign.host;

/** Failure of the environment of the processes, which is no verdict about the guarantees. */
public final class ChaosException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ChaosException(String message) {
        super(message);
    }

    public ChaosException(String message, Throwable cause) {
        super(message, cause);
    }
}
