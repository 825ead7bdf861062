package dev.tutti.core.driver;

import dev.tutti.core.Packet;

/** What a {@link DatagramMachine} wants its driver to do. An effect must not call the machine. */
public interface DatagramEffects {

    /** Find the endpoint of {@code host:port}; answered by {@code onResolved}. */
    void resolve(String address);

    /**
     * Send a datagram. The packet passes to the driver, which releases it when it has left, or counts it when the system
     * did not take it. Datagrams of one drain to the same endpoint may leave in one system call.
     */
    void send(Endpoint to, Packet datagram);

    /** Send a datagram to the multicast group; only if {@link DatagramDriver#isMulticast}. Its sender gets none itself. */
    void multicast(Packet datagram);
}
