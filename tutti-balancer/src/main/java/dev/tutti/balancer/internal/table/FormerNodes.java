package dev.tutti.balancer.internal.table;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that are gone, the last ones: their sessions move to nodes of the same domain and version. Beyond {@link #NODES_MAX} the one
 * that has been gone for longest is forgotten; its sessions move to any node then. Immutable.
 */
public final class FormerNodes {

    /** Most nodes that are remembered. */
    public static final int NODES_MAX = 1_024;

    /** No former node. */
    public static final FormerNodes NONE = new FormerNodes(new LinkedHashMap<>());

    private final Map<String, WebNode> byRoute;

    private FormerNodes(Map<String, WebNode> byRoute) {
        this.byRoute = byRoute;
    }

    @Nullable WebNode node(String route) {
        return byRoute.get(route);
    }

    /** Returns these nodes and a further one. */
    public FormerNodes with(WebNode gone) {
        LinkedHashMap<String, WebNode> more = new LinkedHashMap<>(byRoute);
        more.putLast(gone.route(), gone);
        if (more.size() > NODES_MAX) {
            more.pollFirstEntry();
        }
        return new FormerNodes(more);
    }

    /** Returns the number of nodes. */
    public int size() {
        return byRoute.size();
    }
}
