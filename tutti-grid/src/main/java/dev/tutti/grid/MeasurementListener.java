package dev.tutti.grid;

/**
 * Listener of a consumer. Its methods are called one at a time, on a thread of the subscription; they may block, and
 * measurements wait meanwhile. An exception or error is logged and counted, and the next measurement follows.
 */
@FunctionalInterface
public interface MeasurementListener {

    /** Called for each measurement. Those of a producer come in the order of their sequence. */
    void onMeasurement(Measurement measurement);

    /** Called where measurements are left out, before the ones that follow. */
    default void onGap(Gap gap) {}
}
