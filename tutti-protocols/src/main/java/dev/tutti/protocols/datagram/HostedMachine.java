package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.Machine;

/** The machine within a {@link DatagramNode}: it may have been given input since the node's last turn. */
public interface HostedMachine extends Machine {

    /** Returns the time of the latest input. */
    long nowNanos();

    /** Provides the means to send a frame to all nodes at once. Called before {@link #onStart}, if at all. */
    void useMulticast(Multicast multicast);

    /**
     * Takes a frame that a node has sent to all. Ownership passes to the callee.
     *
     * @return false if it seems to be of a node of this cluster with which there is no session
     */
    boolean onMulticast(long nowNanos, Packet frame);

    /** Takes the address of a node that multicasts, and with which there is no session. Anybody may have forged it. */
    void onStranger(long nowNanos, String address);
}
