package dev.tutti.protocols.node;

import dev.tutti.core.NodeId;

/**
 * Takes the events of a node that people may want to know, each worth a line in the log. Called on the loop, after the
 * turn, in order with the other effects; must not call the node.
 */
@FunctionalInterface
public interface NodeEvents {

    void onEvent(Event event);

    /** Returns a receiver that ignores all events. */
    static NodeEvents none() {
        return event -> {};
    }

    /** Event; {@code toString} is a sentence. */
    sealed interface Event {}

    /** A session with a node begins. */
    record SessionOpened(NodeId node) implements Event {
        @Override
        public String toString() {
            return "session with " + node + " (" + node.address() + ") opened";
        }
    }

    /**
     * A session has ended.
     *
     * @param isGraceful the node said goodbye, or this one did
     */
    record SessionClosed(NodeId node, boolean isGraceful, String reason) implements Event {
        @Override
        public String toString() {
            return "session with " + node + " (" + node.address() + ") closed: " + reason;
        }
    }

    /** A connection broke and another one has taken its place; nothing was lost. */
    record Resumed(NodeId node) implements Event {
        @Override
        public String toString() {
            return "session with " + node + " (" + node.address() + ") goes on over a new connection";
        }
    }

    /** A connection was refused, by this node or by the other. */
    record Refused(String remote, String reason) implements Event {
        @Override
        public String toString() {
            return "connection with " + remote + " refused: " + reason;
        }
    }

    /** An address is wrong, or trust is missing: it is dialled again, but an operator should check it. */
    record Unreachable(String address, String reason) implements Event {
        @Override
        public String toString() {
            return address + " can't be reached: " + reason;
        }
    }

    /** Enough watchers agree that a node is not heard; its session is closed. */
    record Suspected(NodeId node, String reason) implements Event {
        @Override
        public String toString() {
            return node + " (" + node.address() + ") is suspected: " + reason;
        }
    }

    /** This node's own loop was late, so that it trusts its suspicions less for a while. */
    record Late(long lateNanos) implements Event {
        @Override
        public String toString() {
            return "this node's loop was late by " + lateNanos / 1_000_000 + " ms";
        }
    }

    /** A node has a group of the same name that is set up differently: the two do not meet in it. */
    record StackMismatch(String group, NodeId node, String difference) implements Event {
        @Override
        public String toString() {
            return "group " + group + ": " + difference;
        }
    }

    /** A member of another node has kept this group waiting too often: it is left out of views, or not followed, for a while. */
    record Distrusted(String group, NodeId node, String reason) implements Event {
        @Override
        public String toString() {
            return "group " + group + ": " + node + " (" + node.address() + ") " + reason;
        }
    }
}
