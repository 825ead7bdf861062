package dev.tutti.internal.state;

import dev.tutti.core.ViewId;

/** A view's id as it goes over the wire. Equal for equal views. */
record CutId(long number, int attempt, long incarnation, int join) {

    static CutId of(ViewId id) {
        return new CutId(
                id.number(), id.attempt(), id.proposer().node().incarnation(), id.proposer().join());
    }

    /**
     * Returns the name, after this view, of a state named {@code state} in it; equal for equal histories only. Never 0.
     */
    long mix(long state) {
        long mixed = mix(state, number);
        mixed = mix(mixed, attempt);
        mixed = mix(mixed, incarnation);
        mixed = mix(mixed, join);
        return mixed == 0 ? 1 : mixed;
    }

    /** Applies the finalizer of SplitMix64 (Steele, Lea, Flood, 2014). */
    private static long mix(long state, long value) {
        long mixed = (state ^ value) + 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    @Override
    public String toString() {
        return number + "." + attempt;
    }
}
