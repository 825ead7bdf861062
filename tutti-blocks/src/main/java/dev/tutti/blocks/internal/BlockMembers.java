package dev.tutti.blocks.internal;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;

/** Finds members in views. */
public final class BlockMembers {

    private BlockMembers() {}

    /**
     * Returns the member that a node is in a view: it is in a group at most once.
     *
     * @throws IllegalStateException if it is not in the view
     */
    public static Member of(NodeId node, View view) {
        for (Member member : view.members()) {
            if (member.node().equals(node)) {
                return member;
            }
        }
        throw new IllegalStateException("view " + view + " without node " + node);
    }
}
