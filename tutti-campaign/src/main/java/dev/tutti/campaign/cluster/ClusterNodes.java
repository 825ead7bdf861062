package dev.tutti.campaign.cluster;

import dev.tutti.core.NodeId;
import dev.tutti.protocols.node.NodeEvents;
import dev.tutti.protocols.node.NodeMachine;
import dev.tutti.sim.MachineFactory;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** Nodes of a cluster, numbered from 1, and the machines that they run. */
final class ClusterNodes {

    private static final String PORT = ":7800";

    private final Simulation simulation;
    private final ClusterSettings settings;
    private final NodeMaker maker;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<BiConsumer<Integer, NodeEvents.Event>> listeners = new ArrayList<>();

    ClusterNodes(Simulation simulation, ClusterSettings settings, NodeMaker maker, int size, boolean isOnDatagrams) {
        this.simulation = simulation;
        this.settings = settings;
        this.maker = maker;
        for (int number = 1; number <= size; number++) {
            String name = "n" + number;
            MachineFactory factory = machines(number);
            nodes.add(isOnDatagrams
                    ? simulation.addOnDatagrams(name, name + PORT, (self, seed, memory) ->
                            settings.onDatagrams((NodeMachine) factory.create(self, seed, memory),
                                    simulation.datagrams().receiveBufferBytes(), seed, memory))
                    : simulation.add(name, name + PORT, factory));
        }
    }

    private MachineFactory machines(int number) {
        return (self, seed, memory) -> {
            NodeMachine machine =
                    maker.make(self, settings.ofNode(number), seed, memory, event -> onEvent(number, event));
            if (settings.isPrimary()) {
                machine.useStore(node(number).store());
            }
            return machine;
        };
    }

    private void onEvent(int number, NodeEvents.Event event) {
        simulation.note("n" + number + " " + event);
        listeners.forEach(listener -> listener.accept(number, event));
    }

    /** Adds a listener for the nodes' events, which also gets the number of the node. */
    void addListener(BiConsumer<Integer, NodeEvents.Event> listener) {
        listeners.add(listener);
    }

    int size() {
        return nodes.size();
    }

    SimulatedNode node(int number) {
        return nodes.get(number - 1);
    }

    List<SimulatedNode> nodes(Collection<Integer> numbers) {
        return numbers.stream().map(this::node).toList();
    }

    int numberOf(SimulatedNode node) {
        return nodes.indexOf(node) + 1;
    }

    TreeSet<Integer> othersThan(Collection<Integer> numbers) {
        TreeSet<Integer> others = new TreeSet<>();
        for (int number = 1; number <= nodes.size(); number++) {
            if (!numbers.contains(number)) {
                others.add(number);
            }
        }
        return others;
    }

    /** Reports whether an id has the name and the address of one of the nodes. */
    boolean isAddressed(NodeId id) {
        return nodes.stream().anyMatch(node -> node.name().equals(id.name()) && id.address().equals(node.name() + PORT));
    }
}
