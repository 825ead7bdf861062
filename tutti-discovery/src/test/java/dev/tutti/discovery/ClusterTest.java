package dev.tutti.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that know nothing of each other but a source, over real sockets. */
class ClusterTest {

    private static final int NODES = 32;

    @TempDir
    private Path root;

    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void close() {
        nodes.forEach(Node::close);
    }

    private void startTogether(UnaryOperator<NodeBuilder> discovery) throws Exception {
        CountDownLatch isWhole = new CountDownLatch(NODES);
        List<CompletableFuture<Group>> joined = new ArrayList<>();
        for (int number = 0; number < NODES; number++) {
            nodes.add(discovery.apply(Node.tcp(0).bind("127.0.0.1").cluster("found").name("n" + number)).start());
        }
        for (Node node : nodes) {
            boolean[] isCounted = new boolean[1];
            joined.add(node.group("all")
                    .onView(view -> {
                        if (view.members().size() == NODES && !isCounted[0]) {
                            isCounted[0] = true;
                            isWhole.countDown();
                        }
                    })
                    .joinAsync());
        }
        assertThat(isWhole.await(60, TimeUnit.SECONDS)).as("one view of all").isTrue();
        CompletableFuture.allOf(joined.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    }

    @Test
    void nodesThatShareADirectoryAreOneView() throws Exception {
        startTogether(builder -> builder.set("discovery.directory.path", root.toString()));
        Path directory = root.resolve("found");
        assertThat(count(directory)).isEqualTo(NODES);
        nodes.forEach(Node::close);
        assertThat(count(directory)).isZero();
    }

    @Test
    void nodesThatShareATableAreOneView() throws Exception {
        startTogether(builder -> builder.set("discovery.jdbc.url", "jdbc:h2:mem:found;DB_CLOSE_DELAY=-1"));
    }

    @Test
    void nodesOfANetworkAreOneView() throws Exception {
        startTogether(builder -> builder.set("discovery.multicast.address", "239.192.78.78:17812")
                .set("discovery.multicast.ttl", "0"));
    }

    private static long count(Path directory) throws Exception {
        try (Stream<Path> files = Files.list(directory)) {
            return files.count();
        }
    }
}
