package dev.tutti.core;

import java.util.Comparator;

/**
 * One incarnation of a node in a group. A node that leaves a group and joins it again is another member.
 *
 * @param node the node
 * @param join the node's number for this membership; never used twice by one node
 */
public record Member(NodeId node, int join) implements Comparable<Member> {

    private static final Comparator<Member> ORDER =
            Comparator.comparing(Member::node).thenComparingInt(Member::join);

    @Override
    public int compareTo(Member other) {
        return this == other ? 0 : ORDER.compare(this, other);
    }

    /** The node's name, for people. */
    public String name() {
        return node.name();
    }

    @Override
    public String toString() {
        return node.name();
    }
}
