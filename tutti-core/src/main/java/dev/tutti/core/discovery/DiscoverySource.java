package dev.tutti.core.discovery;

import java.io.IOException;
import java.util.List;

/**
 * A place where nodes of a cluster look for each other: a shared directory, a database, a name service.
 *
 * <p>A node calls {@link #start} once, then {@link #announce} and {@link #addresses} again and again, and {@link #close} at
 * its end. It calls one method at a time, on a thread that may block. After ten seconds it gives a call up; later calls may then come
 * while that one has not returned. That, an {@link IOException} and any other exception are an outage: the node reports it once, tries
 * again with growing pauses, and goes on without the source meanwhile. A group that stands needs no source.
 *
 * <p>Entries may be wrong, and may be missing: the node dials each listed address, and accepts nobody because of an entry.
 */
public interface DiscoverySource extends AutoCloseable {

    /**
     * Tells the source which node it works for.
     *
     * @throws IOException if the source can't be used for the moment; the call is repeated later
     */
    void start(NodeEntry self) throws IOException;

    /**
     * Lists this node. Called first, and whenever {@link #addresses} lacks it, so that a removed entry comes back. Of no effect
     * where others list the nodes, as in a name service.
     */
    default void announce() throws IOException {}

    /**
     * Returns the listed addresses, {@code host:port}, of all nodes or of some of them. The list may have this node's own,
     * and is cut at 10,000.
     */
    List<String> addresses() throws IOException;

    /**
     * Returns whether {@link #announce} makes an entry that {@link #addresses} returns. Only then is a missing own entry announced
     * again, and {@link #remove} called.
     */
    default boolean isWritable() {
        return false;
    }

    /**
     * Removes the entry of a node that has refused or not answered this node for some time. The node may be alive behind a
     * partition; it then announces itself again.
     */
    default void remove(String address) throws IOException {}

    /** Returns the number of entries that the source has passed over. Called at any time, from any thread. */
    default SourceDrops drops() {
        return SourceDrops.NONE;
    }

    /** Removes this node's own entry if there is one, and releases everything. Called without a prior start, too. */
    @Override
    void close() throws IOException;
}
