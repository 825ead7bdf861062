package dev.tutti.core.driver;

import dev.tutti.core.Packet;

/** Effects that a {@link DatagramMachine} requests of its driver. An effect must not call the machine. */
public interface DatagramEffects {

    /** Finds the endpoint of {@code host:port}; answered by {@code onResolved}. */
    void resolve(String address);

    /**
     * Sends a datagram. The packet passes to the driver, which releases it when it was sent, or counts it when the
     * system did not take it. Datagrams of one drain to the same endpoint may be sent in one system call.
     */
    void send(Endpoint to, Packet datagram);

    /** Sends a datagram to the multicast group; only if {@link DatagramDriver#isMulticast}. Its sender gets none. */
    void multicast(Packet datagram);

    /**
     * Watches the process at an endpoint, with which a connection is open. If it ends, {@link DatagramMachine#onRefused}
     * follows. A driver that has no means for this, or watches as many processes as it may, does nothing.
     */
    default void watch(Endpoint peer) {}

    /** Ends the watch of an endpoint. */
    default void unwatch(Endpoint peer) {}

    /**
     * Begins a TLS handshake with the other end of a connection; only if {@link DatagramDriver#isSecure}. It is answered
     * by any number of {@code onHandshake}, and then by {@code onSecured} or {@code onHandshakeFailed}.
     *
     * @param connection number by which the machine knows the connection; never used again
     * @param isDialed whether this end is the client
     */
    default void beginHandshake(long connection, Endpoint with, boolean isDialed) {
        throw new IllegalStateException("this driver has no TLS");
    }

    /** Passes the next bytes of the other end's handshake to TLS. The packet passes to the driver. */
    default void handshake(long connection, Packet bytes) {
        throw new IllegalStateException("this driver has no TLS");
    }

    /** Ends the handshake, or the watch over the other end's certificate after it: the connection has ended. */
    default void endHandshake(long connection) {
        throw new IllegalStateException("this driver has no TLS");
    }
}
