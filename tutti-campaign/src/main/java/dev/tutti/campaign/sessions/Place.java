package dev.tutti.campaign.sessions;

import dev.tutti.campaign.chaos.network.NamespaceNetwork;
import dev.tutti.campaign.host.Ports;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Place at which a Tomcat runs.
 *
 * @param prefix words before the command that starts it
 * @param host address of its connector and its node
 * @param nodePort port of its session replication
 */
record Place(List<String> prefix, String host, int httpPort, int nodePort) {

    private static final int HTTP_PORT = 8080;
    private static final int NODE_PORT = 7800;

    /** Returns places on loopback with ports that are free now. */
    static List<Place> onLoopback(int count) {
        List<Integer> ports = Ports.free(2 * count);
        return IntStream.range(0, count)
                .mapToObj(node -> new Place(List.of(), "127.0.0.1", ports.get(node), ports.get(count + node)))
                .toList();
    }

    /** Returns places in the first namespaces of a network. */
    static List<Place> inSpaces(String base, int count) {
        return IntStream.range(0, count)
                .mapToObj(node -> new Place(
                        NamespaceNetwork.prefix(base, node), NamespaceNetwork.host(node), HTTP_PORT, NODE_PORT))
                .toList();
    }

    String address() {
        return host + ":" + nodePort;
    }
}
