package dev.tutti.stomp;

/** Permissions of a client. Called on the threads that serve clients: must not block. */
public interface Access {

    /** Permits everything. */
    Access ALL = new Access() {};

    /** Returns whether the client may send to a destination. */
    default boolean maySend(String destination) {
        return true;
    }

    /** Returns whether the client may subscribe to a destination, which may hold wildcards. */
    default boolean maySubscribe(String destination) {
        return true;
    }
}
