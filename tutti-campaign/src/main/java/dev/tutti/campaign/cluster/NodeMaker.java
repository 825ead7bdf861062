package dev.tutti.campaign.cluster;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.settings.Settings;
import dev.tutti.protocols.node.NodeEvents;
import dev.tutti.protocols.node.NodeMachine;

/** Makes the machine of a node. */
@FunctionalInterface
public interface NodeMaker {

    NodeMachine make(NodeId self, Settings settings, long seed, Memory memory, NodeEvents events);
}
