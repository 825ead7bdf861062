package dev.tutti.core;

/**
 * One incarnation of a node in a group. A node that leaves a group and joins it again is another member.
 *
 * @param node the node
 * @param join the node's number for this membership; never used twice by one node
 */
public record Member(NodeId node, int join) implements Comparable<Member> {

    @Override
    public int compareTo(Member other) {
        if (this == other) {
            return 0;
        }
        int order = node.compareTo(other.node);
        return order != 0 ? order : Integer.compare(join, other.join);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof Member member && member.join == join && member.node.equals(node);
    }

    @Override
    public int hashCode() {
        return node.hashCode() * 31 + join;
    }

    /** The node's name, for people. */
    public String name() {
        return node.name();
    }

    /** The node's name and address, {@code name@host:port}; the address alone if it begins with the name. */
    @Override
    public String toString() {
        return node.address().startsWith(node.name()) ? node.address() : node.name() + "@" + node.address();
    }
}
