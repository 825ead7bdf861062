package dev.tutti.protocols.datagram;

import dev.tutti.core.driver.Machine;

/** The machine within a {@link DatagramNode}: it may have been given input since the node's last turn. */
public interface HostedMachine extends Machine {

    /** The time of the latest input. */
    long nowNanos();
}
