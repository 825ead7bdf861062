package dev.tutti.protocols.detection;

import dev.tutti.core.NodeId;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** An observed node: what this one knows of it, and what it says of others. */
final class ObservedNode {

    /** A time that has not come. */
    static final long NEVER = Long.MAX_VALUE;

    /** Shared empty set, never modified: most nodes have nothing to report. */
    static final TreeSet<NodeId> NOBODY = new TreeSet<>();

    /** There is a session with it. */
    boolean isOpen;

    /** There was no session with it before this one. */
    boolean isFirst;

    long openedNanos;
    long heardNanos;
    long closedNanos;

    /** This node does not hear it. */
    boolean isReported;

    /** Time since which it has been in the unstable band; {@link #NEVER} if it is not. */
    long unstableNanos = NEVER;

    /** Nodes that it reports. */
    TreeSet<NodeId> reports = NOBODY;

    /** Nodes that others report and that it has never met. */
    TreeSet<NodeId> strangers = NOBODY;

    /** Nodes that it has judged; null until its first heartbeat in this session, which gives the earlier ones. */
    @Nullable TreeSet<NodeId> judged;

    /** Those of them that it had judged before this session. */
    TreeSet<NodeId> judgedBefore = NOBODY;

    /** This node has judged it, upon reports of enough watchers, and has not retracted that. */
    boolean isJudged;

    /** Nodes whose processes it has said to be gone. */
    TreeSet<NodeId> gone = NOBODY;

    /** This node watches it, and has found that its process is gone. */
    boolean isGone;

    /** Time of the last check prompted by other nodes; {@link #NEVER} if there was none. */
    long lookedAfterNanos = NEVER;

    /** Returns whether it has announced in this session that it has judged a node, and had not judged it before. */
    boolean hasToldOf(NodeId node) {
        return judged != null && judged.contains(node) && !judgedBefore.contains(node);
    }
}
