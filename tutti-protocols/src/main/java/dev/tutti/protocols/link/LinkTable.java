package dev.tutti.protocols.link;

import dev.tutti.core.NodeId;
import dev.tutti.core.driver.Credentials;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The nodes that were met, by identity, incarnation and address. At most {@value #LINKS_MAX} are remembered. */
final class LinkTable {

    static final int LINKS_MAX = 4096;

    private final NodeId self;

    /** Links in the order in which the nodes were met. */
    private final List<Link> links = new ArrayList<>();

    /** Links by incarnation. Only one node has it, apart from errors and malice. */
    private final HashMap<Long, Link> byIncarnation = new HashMap<>();

    /** Links by address, at which there is one process at a time. */
    private final HashMap<String, Link> atAddress = new HashMap<>();

    private long forgottenEpoch;

    LinkTable(NodeId self) {
        this.self = self;
    }

    /** Returns the links in the order in which the nodes were met. */
    List<Link> all() {
        return links;
    }

    /** Returns the link that was last met at an address; the others follow by {@link Link#nextThere}. */
    @Nullable Link at(String address) {
        return atAddress.get(address);
    }

    @Nullable Link link(NodeId node) {
        for (Link link = byIncarnation.get(node.incarnation()); link != null; link = link.nextOfIncarnation) {
            if (link.node().equals(node)) {
                return link;
            }
        }
        return null;
    }

    boolean isTaken(NodeId node) {
        if (node.incarnation() == self.incarnation()) {
            return !node.equals(self);
        }
        for (Link link = byIncarnation.get(node.incarnation()); link != null; link = link.nextOfIncarnation) {
            if (link.isOpen() && !link.node().equals(node)) {
                return true;
            }
        }
        return false;
    }

    boolean isOlder(NodeId node) {
        for (Link link = atAddress.get(node.address()); link != null; link = link.nextThere) {
            if (link.connection != null && link.node().incarnation() > node.incarnation()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the link that would lose its living connection to {@code node}: another incarnation at the same address, or
     * the node itself, if its key was another one and its name is not proven. Null if there is none.
     *
     * @param credentials of the newcomer
     */
    @Nullable Link holder(NodeId node, Credentials credentials) {
        boolean isProven = credentials.proves(node.name());
        for (Link link = atAddress.get(node.address()); link != null; link = link.nextThere) {
            boolean isOther = link.node().equals(node)
                    ? link.isOpen() && !isProven && !link.key.equals(credentials.key())
                    : link.connection != null;
            if (isOther) {
                return link;
            }
        }
        return null;
    }

    Link meet(NodeId node) {
        Link link = link(node);
        if (link == null) {
            if (links.size() >= LINKS_MAX) {
                forgetOne();
            }
            link = new Link(node, forgottenEpoch);
            links.add(link);
            link.nextOfIncarnation = byIncarnation.put(node.incarnation(), link);
            link.nextThere = atAddress.put(node.address(), link);
        }
        return link;
    }

    /** Forgets one link. A node that is met again after that starts from an epoch that it can't have had. */
    private void forgetOne() {
        for (Link link : links) {
            if (!link.isOpen() && link.connection == null) {
                forgottenEpoch = Math.max(forgottenEpoch, link.epoch());
                links.remove(link);
                leaveIncarnation(link);
                leaveAddress(link);
                return;
            }
        }
    }

    private void leaveIncarnation(Link link) {
        long incarnation = link.node().incarnation();
        Link before = byIncarnation.get(incarnation);
        if (before == link && link.nextOfIncarnation == null) {
            byIncarnation.remove(incarnation);
            return;
        }
        if (before == link) {
            byIncarnation.put(incarnation, Objects.requireNonNull(link.nextOfIncarnation));
            return;
        }
        while (before != null && before.nextOfIncarnation != link) {
            before = before.nextOfIncarnation;
        }
        if (before != null) {
            before.nextOfIncarnation = link.nextOfIncarnation;
        }
    }

    private void leaveAddress(Link link) {
        String address = link.node().address();
        Link before = atAddress.get(address);
        if (before == link) {
            if (link.nextThere == null) {
                atAddress.remove(address);
            } else {
                atAddress.put(address, link.nextThere);
            }
            return;
        }
        while (before != null && before.nextThere != link) {
            before = before.nextThere;
        }
        if (before != null) {
            before.nextThere = link.nextThere;
        }
    }
}
