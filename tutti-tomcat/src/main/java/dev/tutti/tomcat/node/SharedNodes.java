package dev.tutti.tomcat.node;

import dev.tutti.Node;
import dev.tutti.sites.Sites;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Nodes of this process by their options, so that the web applications of one Tomcat share a node.
 *
 * <p>Static, because the managers that a container creates from {@code context.xml} files have nothing else in common.
 */
public final class SharedNodes {

    private static final Map<NodeOptions, SharedNodes> BY_OPTIONS = new HashMap<>();

    private final Node node;
    private final @Nullable Sites sites;
    private int users;

    private SharedNodes(Node node, @Nullable Sites sites) {
        this.node = node;
        this.sites = sites;
    }

    /** Returns the node for {@code options}, and starts it if it is not in use yet. */
    public static SharedNodes acquire(NodeOptions options) {
        synchronized (BY_OPTIONS) {
            SharedNodes shared = BY_OPTIONS.get(options);
            if (shared == null) {
                shared = ServerThread.call(() -> start(options));
                BY_OPTIONS.put(options, shared);
            }
            shared.users++;
            return shared;
        }
    }

    private static SharedNodes start(NodeOptions options) {
        Node node = options.start();
        try {
            return new SharedNodes(node, options.openSites(node));
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
    }

    public Node node() {
        return node;
    }

    /** Returns the node's part in a cluster of several sites; null if it is at none. */
    public @Nullable Sites sites() {
        return sites;
    }

    /** Releases a node, which is closed when it has no more users. */
    public static void release(NodeOptions options) {
        SharedNodes closing = null;
        synchronized (BY_OPTIONS) {
            SharedNodes shared = BY_OPTIONS.get(options);
            if (shared != null) {
                shared.users--;
                if (shared.users == 0) {
                    BY_OPTIONS.remove(options);
                    closing = shared;
                }
            }
        }
        if (closing != null) {
            Sites leaving = closing.sites;
            if (leaving != null) {
                leaving.close();
            }
            closing.node.close();
        }
    }
}
