package dev.tutti.tomcat;

import dev.tutti.Node;
import java.util.HashMap;
import java.util.Map;

/**
 * The nodes of this process by their options, so that the web applications of one Tomcat share one.
 *
 * <p>Static, because managers that a container makes from a {@code context.xml} each have nothing else in common.
 */
final class SharedNodes {

    private static final Map<NodeOptions, SharedNodes> BY_OPTIONS = new HashMap<>();

    private final Node node;
    private int users;

    private SharedNodes(Node node) {
        this.node = node;
    }

    /** The node for {@code options}, started if nobody has it yet. */
    static Node acquire(NodeOptions options) {
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

    /** Gives a node back, which is closed when nobody has it any more. */
    static void release(NodeOptions options) {
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
