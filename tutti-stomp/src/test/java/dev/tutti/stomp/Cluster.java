package dev.tutti.stomp;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Members that serve STOMP, in this process, over loopback. */
final class Cluster implements AutoCloseable {

    private final List<Node> nodes = new ArrayList<>();
    private final List<StompServer> servers = new ArrayList<>();

    /** Starts another member. */
    StompServer start(UnaryOperator<StompServerBuilder> with) {
        // Members find each other quickly, but do not suspect one that waits for a processor.
        NodeBuilder builder = Node.tcp(0)
                .name("m" + nodes.size())
                .set("discovery.patience", "200 ms")
                .set("discovery.pause-max", "500 ms");
        if (!nodes.isEmpty()) {
            builder.seeds(nodes.getFirst().address());
        }
        Node node = builder.start();
        nodes.add(node);
        StompServer server = with.apply(StompServer.on(node).port(0)).start();
        servers.add(server);
        // Joining gives up after a while, and a machine may be busy.
        Await.until("one view of all members in each group", () -> nodes.stream()
                .flatMap(each -> each.groups().stream())
                .allMatch(group -> group.view().size() == nodes.stream()
                        .filter(each -> each.groups().size() == node.groups().size())
                        .count()));
        return server;
    }

    StompServer start() {
        return start(builder -> builder);
    }

    Node node(int index) {
        return nodes.get(index);
    }

    StompServer server(int index) {
        return servers.get(index);
    }

    @Override
    public void close() {
        servers.reversed().forEach(StompServer::close);
        nodes.reversed().forEach(Node::close);
    }
}
