package dev.tutti.sim;

import dev.tutti.core.NodeId;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.Machine;
import java.util.List;
import java.util.function.Consumer;

/**
 * Driver in one run of a node: hands events of the network to the machine as inputs, and the machine's effects to the
 * network.
 */
sealed interface NodeDriver permits StreamDriver, DatagramDriver {

    /** Makes the driver of a run, with the machine that it drives. */
    interface Maker {

        /**
         * @param node node that starts; its run and its memory are the new ones already
         * @param seed seed of the machine's randomness
         * @param inputs takes inputs for the next turn
         */
        NodeDriver make(SimulatedNode node, NodeId self, long seed, Consumer<Driver.Task> inputs);
    }

    Machine machine();

    void onStart(long now);

    void onTimer(long now);

    /** Adds the machine's effects, to be run when the turn's time is over. */
    void drain(List<Runnable> effects);

    long nextDeadline();

    /** Reports whether all that the machine has sent has arrived, so that a stopped process may end. */
    boolean isQuiet();

    /** Returns the time for which a stopped process waits until it is quiet. */
    long lingerNanos();

    /** Ends all connections as the kernel of a killed process does. */
    void abort();

    /** Leaves all connections as a machine without power does: no peer is told. */
    void vanish();

    /** Ends all connections after their pending data. */
    void close();
}
