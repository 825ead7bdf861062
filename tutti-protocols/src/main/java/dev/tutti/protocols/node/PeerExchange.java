package dev.tutti.protocols.node;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.protocols.discovery.Discovery;
import dev.tutti.protocols.link.Frames;
import dev.tutti.protocols.link.Link;
import dev.tutti.protocols.link.Links;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Exchange of addresses between nodes, so that all nodes get to know each other. The first frame also marks the end of
 * a node's announcements of its groups.
 */
final class PeerExchange {

    /** Addresses in one PEERS frame. */
    private static final int PEERS_MAX = 64;

    private final Links links;
    private final Discovery discovery;
    private final Memory memory;

    /** Nodes that have not announced their groups yet. */
    private final TreeSet<NodeId> untold = new TreeSet<>();

    /** Nodes that have got the addresses of all others. */
    private final TreeSet<NodeId> listed = new TreeSet<>();

    PeerExchange(Links links, Discovery discovery, Memory memory) {
        this.links = links;
        this.discovery = discovery;
        this.memory = memory;
    }

    void onOpened(NodeId node) {
        untold.add(node);
    }

    void onClosed(NodeId node) {
        untold.remove(node);
        listed.remove(node);
    }

    /** Tells a node that this one has announced its groups, and the digest of the addresses that it knows. */
    void onGroupsAnnounced(Link link) {
        send(link, List.of());
    }

    /** Returns whether all nodes with a session have announced their groups. */
    boolean isEverybodyHeard() {
        return untold.isEmpty();
    }

    /** Takes a PEERS frame, which is only read. A node that knows other addresses gets all of this one's. */
    void onPeers(Link link, Packet frame, long now) {
        untold.remove(link.node());
        long digest = frame.takeLong();
        int count = frame.takeCount(4);
        if (count > PEERS_MAX) {
            frame.markMalformed();
        }
        for (int index = 0; index < count && !frame.isMalformed(); index++) {
            discovery.onLearned(frame.takeText(3 * NodeId.TEXT_MAX), link.node(), now);
        }
        if (!frame.isMalformed() && digest != discovery.digest() && listed.add(link.node())) {
            sendAll(link);
        }
    }

    private void sendAll(Link receiver) {
        List<String> addresses = new ArrayList<>();
        for (Link link : links.all()) {
            if (link.isOpen() && link != receiver) {
                addresses.add(link.node().address());
            }
        }
        for (int from = 0; from < addresses.size(); from += PEERS_MAX) {
            send(receiver, addresses.subList(from, Math.min(addresses.size(), from + PEERS_MAX)));
        }
    }

    private void send(Link receiver, List<String> addresses) {
        Packet frame = Frames.create(memory, Frames.PEERS, 12 + addresses.size() * (4 + 3 * NodeId.TEXT_MAX))
                .appendLong(discovery.digest())
                .appendInt(addresses.size());
        addresses.forEach(frame::appendText);
        links.send(receiver, frame);
    }
}
