package dev.tutti.protocols.link;

import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.DialFailure;
import org.jspecify.annotations.Nullable;

/** Receiver of the events of all links. Calls come in the middle of an input: the callee may send and close. */
public interface LinkOwner {

    /**
     * A session begins.
     *
     * @param isFirst whether there was none with this node before
     */
    void onOpened(Link link, boolean isFirst);

    /** The node's process was found to be gone: the session is about to be closed. */
    void onGone(Link link);

    /** A session has ended; no more frames of it follow. */
    void onClosed(Link link, boolean isGraceful, String reason);

    /** A frame of the session has arrived; its type is taken off. Ownership of the packet passes to the callee. */
    void onFrame(Link link, int type, Packet frame);

    /** A heartbeat has arrived. The callee reads the packet and does not keep it. */
    void onHeartbeat(Link link, Packet heartbeat);

    /** A connection took the place of one that broke; nothing was lost. */
    void onResumed(Link link);

    /** A connection was refused, by this node or by the other. */
    void onRefused(String remote, Refusal refusal, String reason);

    /** A dial has failed; its consequences are reported by other calls. */
    void onDialFailed(String address, DialFailure failure, String detail);

    /** A dial has reached a remote end that closed the connection, or was silent, before the handshake was over. */
    void onNoHandshake(String address, String detail);

    /** A dial that the node asked for has ended. */
    void onAnswered(String address, DialAnswer answer, @Nullable NodeId node);

    /** Returns why no session may begin with a node that was just heard; null if one may. */
    @Nullable String objection(NodeId node);
}
