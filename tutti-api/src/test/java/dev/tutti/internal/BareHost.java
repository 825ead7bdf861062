package dev.tutti.internal;

import dev.tutti.core.driver.Driver;
import dev.tutti.protocols.node.NodeEvents;

/** A host with the process's threads and time, and nothing else: tests add what they need. */
public class BareHost implements Host {

    @Override
    public Driver driver() {
        throw new UnsupportedOperationException("there is no driver");
    }

    @Override
    public long incarnation() {
        return 1;
    }

    @Override
    public long seed() {
        return 1;
    }

    @Override
    public NodeEvents events(String node) {
        return NodeEvents.none();
    }
}
