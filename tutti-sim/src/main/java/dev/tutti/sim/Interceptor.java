package dev.tutti.sim;

/** Changes what a node sends before its receiver's machine gets it: a peer that lies. */
@FunctionalInterface
public interface Interceptor {

    /**
     * @param frame as it was sent; not to be changed
     * @return what arrives instead: {@code frame}, or another one
     */
    byte[] intercept(SimulatedNode from, SimulatedNode to, byte[] frame);
}
