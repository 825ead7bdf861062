package dev.tutti.tomcat.node;

import dev.tutti.Node;
import java.util.HashMap;
import java.util.Map;

/**
 * Nodes of this process by their options, so that the web applications of one Tomcat share a node.
 *
 * <p>Static, because the managers that a container creates from {@code context.xml} files have nothing else in common.
 */
public final class SharedNodes {

    private static final Map<NodeOptions, SharedNodes> BY_OPTIONS = new HashMap<>();

    private final Node node;
    private int users;

    private SharedNodes(Node node) {
        this.node = node;
    }

    /** Returns the node for {@code options}, and starts it if it is not in use yet. */
    public static Node acquire(NodeOptions options) {
        synchronized (BY_OPTIONS) {
            SharedNodes shared = BY_OPTIONS.get(options);
            if (shared == null) {
                shared = new SharedNodes(ServerThread.call(options::start));
                BY_OPTIONS.put(options, shared);
            }
            shared.users++;
            return shared.node;
        }
    }

    /** Releases a node, which is closed when it has no more users. */
    public static void release(NodeOptions options) {
        Node closing = null;
        synchronized (BY_OPTIONS) {
            SharedNodes shared = BY_OPTIONS.get(options);
            if (shared != null) {
                shared.users--;
                if (shared.users == 0) {
                    BY_OPTIONS.remove(options);
                    closing = shared.node;
                }
            }
        }
        if (closing != null) {
            closing.close();
        }
    }
}
