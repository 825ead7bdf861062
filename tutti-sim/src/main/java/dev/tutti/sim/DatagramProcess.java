package dev.tutti.sim;

import dev.tutti.core.driver.DatagramMachine;
import dev.tutti.core.driver.Machine;
import java.util.function.BooleanSupplier;

/**
 * Node on datagrams: the machine that the network sees, and the hosted node that tests and applications use.
 *
 * @param socket takes and gives datagrams; its drain drains the node, too
 * @param node node that {@link SimulatedNode#machine} returns
 * @param isQuiet tests whether everything sent has arrived, so that a stopped process may end
 */
public record DatagramProcess(DatagramMachine socket, Machine node, BooleanSupplier isQuiet) {}
