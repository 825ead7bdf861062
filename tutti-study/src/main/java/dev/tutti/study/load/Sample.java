package dev.tutti.study.load;

import dev.tutti.study.setup.Operation;

/**
 * One request.
 *
 * @param dueNanos time at which it was due; latency counts from there, so that a request that waits for a slow one
 *     before it counts with its wait
 * @param sentNanos time at which it was sent
 * @param endNanos time of its answer, or of its failure
 * @param failure kind of failure; empty if it was answered with status 200
 */
public record Sample(Operation operation, long dueNanos, long sentNanos, long endNanos, String failure) {

    /** Returns whether the answer confirmed the request. */
    public boolean isConfirmed() {
        return failure.isEmpty();
    }

    /** Returns the time from when it was due to its end. */
    public long latencyNanos() {
        return endNanos - dueNanos;
    }
}
