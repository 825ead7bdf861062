package dev.tutti.stomp;

/** What a client may do. Asked on the threads that serve clients: it must not block. */
public interface Access {

    /** Everything. */
    Access ALL = new Access() {};

    /** Whether it may send to a destination. */
    default boolean maySend(String destination) {
        return true;
    }

    /** Whether it may subscribe to a destination, which may hold wildcards. */
    default boolean maySubscribe(String destination) {
        return true;
    }
}
