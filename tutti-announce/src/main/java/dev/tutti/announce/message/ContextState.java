package dev.tutti.announce.message;

/** Requests that a node takes for a context, from all to none. */
public enum ContextState {
    /** All requests. */
    ENABLED,
    /** Requests of sessions that the node has already. New ones go to other nodes. */
    DRAINING,
    /** No request. */
    STOPPED;

    /** Returns the state that takes fewer requests. */
    public ContextState stricter(ContextState other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
