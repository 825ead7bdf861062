package dev.tutti.tomcat.node;

import dev.tutti.Node;
import dev.tutti.core.settings.NodeAttributes;
import dev.tutti.sites.Sites;
import dev.tutti.tomcat.replication.SessionChannel;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The node of one manager: given to it, or shared with managers of the same options while it runs. For one thread, and {@link #zone} for any. */
public final class ManagerNode {

    private final @Nullable Node given;
    private final @Nullable Sites givenSites;
    private @Nullable NodeOptions options;
    private @Nullable SharedNodes acquired;
    private volatile String zone = "";

    /**
     * @param given null if the manager has to start a node
     * @param givenSites part of the given node in a cluster of several sites; null if it is at none
     */
    public ManagerNode(@Nullable Node given, @Nullable Sites givenSites) {
        this.given = given;
        this.givenSites = givenSites;
    }

    /**
     * Returns the source of a group, for which a node is started if none was given.
     *
     * @throws IllegalArgumentException if the node's attributes are too many, or two of one name
     */
    public SessionChannel.Source source(Supplier<NodeOptions> wanted, Map<String, String> groupSettings) {
        Node node = given;
        if (node == null) {
            NodeOptions of = wanted.get();
            SharedNodes shared = SharedNodes.acquire(of);
            acquired = shared;
            options = of;
            node = shared.node();
        }
        zone = NodeAttributes.zoneOf(node.spec().node());
        Node joining = node;
        return (name, listener) -> GroupChannel.join(joining, name, groupSettings, listener);
    }

    /** Returns the node's part in a cluster of several sites; null if it is at none. */
    public @Nullable Sites sites() {
        SharedNodes shared = acquired;
        return shared == null ? givenSites : shared.sites();
    }

    /** Returns the zone of the node as its settings have it; empty if it has none, or no source was returned so far. */
    public String zone() {
        return zone;
    }

    /** Releases a node that was started; does nothing otherwise. */
    public void release() {
        NodeOptions of = options;
        if (of != null) {
            options = null;
            acquired = null;
            SharedNodes.release(of);
        }
    }
}
