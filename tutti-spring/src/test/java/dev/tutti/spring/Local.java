package dev.tutti.spring;

import dev.tutti.Node;
import java.util.UUID;

/** Clusters of nodes in the process of a test. */
public final class Local {

    private final String cluster = "test-" + UUID.randomUUID();

    public String cluster() {
        return cluster;
    }

    public Node node(String name) {
        return Node.local().cluster(cluster).name(name).set("records.directory", "memory").start();
    }
}
