package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.Machine;

/** The machine within a {@link DatagramNode}: it may have been given input since the node's last turn. */
public interface HostedMachine extends Machine {

    /** The time of the latest input. */
    long nowNanos();

    /** From now on frames can be sent to all nodes at once. Called before {@link #onStart}, if at all. */
    void useMulticast(Multicast multicast);

    /** A frame that somebody has sent to all; passes. */
    void onMulticast(long nowNanos, Packet frame);
}
