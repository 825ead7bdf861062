package dev.tutti.testkit;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.driver.Machine;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import org.jspecify.annotations.Nullable;

/** An address of a process, at which one node at a time is up: the process's first node, or one that was started beside it. */
final class ProcessNode {

    private final SimulatedProcess process;
    private final SimulatedNode simulated;
    private @Nullable NodeBuilder builder;
    private @Nullable Node node;

    /** Creates the address of a process's first node. */
    ProcessNode(SimulatedProcess process, Simulation simulation) {
        this.process = process;
        this.simulated = simulation.add(process.name(), address(process.name(), 0), this::open);
    }

    /** Creates the address of a node beside {@code first}; its name is that address. */
    ProcessNode(SimulatedProcess process, Simulation simulation, ProcessNode first, int place) {
        this.process = process;
        String address = address(process.name(), place);
        this.simulated = simulation.addBeside(first.simulated, address, address, this::open);
    }

    /**
     * Returns the address of a node.
     *
     * @param place 0 for the first node of the process, 1 for the first one beside it, and so on
     */
    static String address(String process, int place) {
        return process + ":" + (PORT + place);
    }

    private Machine open(NodeId self, long seed, Memory memory) {
        NodeBuilder present = builder;
        if (present == null) {
            throw new IllegalStateException("node " + self + " has nothing to start from");
        }
        SimulatedHost host = new SimulatedHost(process, this, self, seed, memory);
        node = present.set("diagnostics.enabled", "false").start(host);
        return host.machine();
    }

    Node start(NodeBuilder from) {
        builder = from;
        simulated.start();
        return node();
    }

    SimulatedNode simulated() {
        return simulated;
    }

    /** Returns the node of the present run, or of the last. */
    Node node() {
        Node present = node;
        if (present == null) {
            throw new IllegalStateException(name() + " was never started");
        }
        return present;
    }

    String name() {
        return simulated.name();
    }

    boolean isUp() {
        return simulated.life() != SimulatedNode.Life.DOWN;
    }

    boolean isRunning() {
        return simulated.life() == SimulatedNode.Life.RUNNING;
    }

    /** Returns a group of this node's cluster. */
    GroupHistory.Key group(String name) {
        return new GroupHistory.Key(node().spec().node().get(TransportSettings.CLUSTER), name);
    }

    /** Most nodes of a process beside its first. */
    static final int BESIDE_MAX = 8;

    private static final int PORT = 7800;
}
