package dev.tutti.study.setup;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Settings of the process of one node.
 *
 * @param index position among the nodes, from 0
 * @param httpPort port for requests, on loopback
 * @param nodePorts ports of all nodes for each other, by their index
 * @param balancerPort port of the balancer for nodes that announce themselves to it; 0 if they do not
 * @param databaseUrl address of the database for JDBC; empty if there is none
 * @param stateBytes least size of a session's value
 */
public record NodeSettings(
        Configuration configuration,
        int index,
        int httpPort,
        List<Integer> nodePorts,
        int balancerPort,
        String databaseUrl,
        int stateBytes) {

    private static final int ARGUMENTS = 9;

    public NodeSettings {
        nodePorts = List.copyOf(nodePorts);
        if (index < 0 || index >= nodePorts.size()) {
            throw new IllegalArgumentException("node " + index + " of " + nodePorts.size());
        }
    }

    /** Returns the name of the node, which is its route in session ids, too. */
    public String name() {
        return nameOf(index);
    }

    /** Returns the name of the node at {@code index}. */
    public static String nameOf(int index) {
        return "node" + (index + 1);
    }

    /** Returns the arguments of its process, which {@link #parse} reads. */
    public List<String> arguments() {
        return List.of(
                configuration.keeping().name(),
                Boolean.toString(configuration.isSticky()),
                configuration.access().name(),
                Integer.toString(index),
                Integer.toString(httpPort),
                nodePorts.stream().map(String::valueOf).collect(Collectors.joining(",")),
                Integer.toString(balancerPort),
                databaseUrl,
                Integer.toString(stateBytes));
    }

    /** Parses {@link #arguments}. */
    public static NodeSettings parse(String[] arguments) {
        if (arguments.length != ARGUMENTS) {
            throw new IllegalArgumentException(ARGUMENTS + " arguments are wanted, not " + arguments.length);
        }
        Configuration configuration = new Configuration(
                "node", Keeping.valueOf(arguments[0]), Boolean.parseBoolean(arguments[1]), Access.valueOf(arguments[2]), 0);
        List<Integer> ports = Arrays.stream(arguments[5].split(",")).map(Integer::valueOf).toList();
        return new NodeSettings(
                configuration,
                Integer.parseInt(arguments[3]),
                Integer.parseInt(arguments[4]),
                ports,
                Integer.parseInt(arguments[6]),
                arguments[7],
                Integer.parseInt(arguments[8]));
    }
}
