package dev.tutti.sim;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;

/** Creates a node on datagrams at each start. */
@FunctionalInterface
public interface DatagramMachineFactory {

    /**
     * @param self this run of the node; its incarnation is above that of the run before
     * @param seed of the machine's randomness, another one at each start
     * @param memory counts what the machine holds
     */
    DatagramProcess create(NodeId self, long seed, Memory memory);
}
