package dev.tutti.sim;

/** Changes the frames of a node before the receiver's machine gets them, to simulate a lying peer. */
@FunctionalInterface
public interface Interceptor {

    /**
     * @param frame as it was sent; not to be changed
     * @return the frame that arrives instead: {@code frame}, or another one
     */
    byte[] intercept(SimulatedNode from, SimulatedNode to, byte[] frame);
}
