package dev.tutti.campaign.chaos;

/** Something around the processes does not work: no verdict about the guarantees. */
final class ChaosException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ChaosException(String message) {
        super(message);
    }

    ChaosException(String message, Throwable cause) {
        super(message, cause);
    }
}
