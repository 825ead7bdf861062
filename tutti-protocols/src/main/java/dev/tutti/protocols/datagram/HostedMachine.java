package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.Machine;

/** The machine within a {@link DatagramNode}: it may have been given input since the node's last turn. */
public interface HostedMachine extends Machine {

    /** Returns the time of the latest input. */
    long nowNanos();

    /** Provides the means to send a frame to all nodes at once. Called before {@link #onStart}, if at all. */
    void useMulticast(Multicast multicast);

    /** Takes a frame that a node has sent to all. Ownership passes to the callee. */
    void onMulticast(long nowNanos, Packet frame);
}
