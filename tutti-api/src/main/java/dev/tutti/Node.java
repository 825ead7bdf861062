package dev.tutti;

import dev.tutti.core.NodeId;
import dev.tutti.core.settings.NodeSpec;
import java.util.List;
import java.util.Map;

/**
 * One process's endpoint: its address, links, failure detection and loop, shared by any number of groups.
 *
 * <p>All methods may be called from any thread. A process usually has one node.
 */
public final class Node implements AutoCloseable {

    Node() {}

    /** A node that listens on TCP {@code port}; 0 takes any free one. */
    public static NodeBuilder tcp(int port) {
        throw new UnsupportedOperationException();
    }

    /** A node as {@code spec} says, which usually comes from a file. */
    public static NodeBuilder of(NodeSpec spec) {
        throw new UnsupportedOperationException();
    }

    /** All settings of nodes and groups, with their defaults. */
    public static NodeSpec defaults() {
        throw new UnsupportedOperationException();
    }

    public NodeId id() {
        throw new UnsupportedOperationException();
    }

    public String name() {
        throw new UnsupportedOperationException();
    }

    /** Where others dial it, {@code host:port}. */
    public String address() {
        throw new UnsupportedOperationException();
    }

    /** The settings in force. */
    public NodeSpec spec() {
        throw new UnsupportedOperationException();
    }

    /** A group to be joined. Any number of groups may be joined; one group once. */
    public GroupBuilder group(String name) {
        throw new UnsupportedOperationException();
    }

    /** The groups that are joined. */
    public List<Group> groups() {
        throw new UnsupportedOperationException();
    }

    /**
     * State and counters now: nested maps whose values are numbers, texts, lists and maps; in the order to show them.
     * Keys: {@code node}, {@code links}, {@code groups}.
     */
    public Map<String, Object> status() {
        throw new UnsupportedOperationException();
    }

    /** Leaves all groups and closes, within {@code group.leave-timeout}. Idempotent. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
