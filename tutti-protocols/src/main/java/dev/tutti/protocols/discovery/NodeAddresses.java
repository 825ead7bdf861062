package dev.tutti.protocols.discovery;

import dev.tutti.core.NodeId;
import java.util.HashMap;
import org.jspecify.annotations.Nullable;

/** Addresses at which nodes were found, linked by {@link Address#nextOfNode}: a node may have several. */
final class NodeAddresses {

    /** Address at which a node was last found. */
    private final HashMap<NodeId, Address> byNode = new HashMap<>();

    /** Returns the first address of a node; null if none is known. */
    @Nullable Address first(NodeId node) {
        return byNode.get(node);
    }

    /** Notes that a node is at an address, where no other one is known. */
    void add(Address address, NodeId node) {
        address.node = node;
        address.nextOfNode = byNode.put(node, address);
    }

    /** Unlinks an address from its node, which it keeps. */
    void remove(Address address) {
        NodeId node = address.node;
        Address first = node == null ? null : byNode.get(node);
        if (node == null || first == null) {
            return;
        }
        Address rest = address.nextOfNode;
        address.nextOfNode = null;
        if (first != address) {
            Address before = first;
            while (before.nextOfNode != null && before.nextOfNode != address) {
                before = before.nextOfNode;
            }
            before.nextOfNode = rest;
        } else if (rest == null) {
            byNode.remove(node);
        } else {
            byNode.put(node, rest);
        }
    }
}
