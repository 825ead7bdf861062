package dev.tutti.core.driver;

/** A driver with connections: ordered, without loss while they last. */
public non-sealed interface StreamDriver extends Driver {

    /** Starts the loop with {@code machine}; once. */
    void start(Machine machine);
}
