package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

/** Nodes whose only seed is a name that all of them have, in virtual time. */
class SeedNamesTest {

    private static final Duration JOIN = Duration.ofSeconds(5);

    /** Time in which a node that has met others looks up names again, and dials. */
    private static final Duration LOOK = Duration.ofSeconds(20);

    private static Group join(Node node) {
        return node.group("all").join();
    }

    @ClusterTest(nodes = 5, seeds = 50)
    @Tag("seeds")
    void eachAddressOfANameMayBeANode(Cluster cluster) {
        cluster.hostName("shop", 1, 2, 3, 4, 5).configure(builder -> builder.seeds("shop:7800"));
        cluster.startAll(SeedNamesTest::join);
        assertThat(cluster.node(1).groups().getFirst().view().members())
                .as("joins wait for the addresses of the name")
                .hasSize(5);
        cluster.awaitOneView(JOIN);
    }

    @ClusterTest(nodes = 4, seeds = 50)
    @Tag("seeds")
    void nodesThatTheNameGetsLaterAreFound(Cluster cluster) {
        cluster.hostName("shop", 1).configure(builder -> builder.seeds("shop:7800"));
        cluster.deploy(SeedNamesTest::join);
        // The name leads to the node itself, and then to others besides.
        cluster.start(1);
        cluster.hostName("shop", 2).start(2);
        cluster.hostName("shop", 1, 2, 3, 4);
        cluster.awaitOneViewOf(LOOK, 1, 2);
        cluster.start(3, 4);
        cluster.awaitOneView(JOIN);
    }

    @ClusterTest(nodes = 3, seeds = 30)
    @Tag("seeds")
    void aNameWithoutAddressesIsAwaitedNoLongerThanASeed(Cluster cluster) {
        cluster.hostName("other", 1).configure(builder -> builder.seeds("shop:7800"));
        cluster.startAll(SeedNamesTest::join);
        cluster.hostName("shop", 1, 2, 3);
        cluster.awaitOneView(JOIN);
    }
}
