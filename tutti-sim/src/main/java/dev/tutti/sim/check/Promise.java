package dev.tutti.sim.check;

/** Guarantees of a group's stack. */
public enum Promise {
    /** The guarantees of docs/guarantees.md for {@code fifo}. */
    RELIABLE,
    /** Those, and the ones for {@code causal}. */
    CAUSAL,
    /** Those, and the ones for {@code total}. */
    TOTAL,
    /** Those, and the ones for {@code total} with safe delivery. */
    SAFE,
    /** The guarantees for {@code unreliable}: views, and no message twice, in another view or in another order. */
    UNRELIABLE;

    boolean isReliable() {
        return this != UNRELIABLE;
    }

    boolean isTotal() {
        return this == TOTAL || this == SAFE;
    }

    boolean isCausal() {
        return this == CAUSAL || isTotal();
    }
}
