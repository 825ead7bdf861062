package dev.tutti.sim;

import dev.tutti.core.driver.DatagramMachine;
import dev.tutti.core.driver.Machine;
import java.util.function.BooleanSupplier;

/**
 * A node on datagrams: the machine that the network sees, and the node within it that tests and applications talk to.
 *
 * @param socket takes and gives datagrams; its drain drains the node too
 * @param node what {@link SimulatedNode#machine} gives
 * @param isQuiet whether everything that was sent has arrived, so that a process which was stopped may end
 */
public record DatagramProcess(DatagramMachine socket, Machine node, BooleanSupplier isQuiet) {}
