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
}
