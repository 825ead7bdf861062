package dev.tutti.sim;

/** A run failed; the message has the seed that repeats it and the last events. */
public final class SimulationException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public SimulationException(String message) {
        super(message);
    }

    public SimulationException(String message, Throwable cause) {
        super(message, cause);
    }
}
