package dev.tutti.sim;

/** Sees each frame when its receiver's machine gets it. */
@FunctionalInterface
public interface Tap {

    /** @param frame to be read only */
    void onFrame(SimulatedNode from, SimulatedNode to, byte[] frame);
}
