package dev.tutti.tomcat.node;

import dev.tutti.Node;
import dev.tutti.announce.Announcer;
import dev.tutti.announce.AnnouncerBuilder;
import java.util.function.Function;

/** The node that a Tomcat is announced with, shared with managers of the same options. Thread-safe. */
public final class AnnouncedNode implements AutoCloseable {

    private final NodeOptions options;
    private final Announcer announcer;

    private AnnouncedNode(NodeOptions options, Announcer announcer) {
        this.options = options;
        this.announcer = announcer;
    }

    /**
     * Starts the node if no manager has, and announces it.
     *
     * @param announcement returns the options of the announcement
     */
    public static AnnouncedNode open(NodeOptions options, Function<Node, AnnouncerBuilder> announcement) {
        Node node = SharedNodes.acquire(options).node();
        try {
            return new AnnouncedNode(options, ServerThread.call(() -> announcement.apply(node).open()));
        } catch (RuntimeException e) {
            SharedNodes.release(options);
            throw e;
        }
    }

    public Announcer announcer() {
        return announcer;
    }

    /** Leaves the group of balancers, and closes the node unless managers use it. */
    @Override
    public void close() {
        announcer.close();
        SharedNodes.release(options);
    }
}
