package dev.tutti.core;

/**
 * The identity of one run of a process's endpoint: a restarted node has another incarnation and is another node.
 *
 * @param incarnation unique per start; grows from one start to the next at the same address as long as the wall clock
 *     does, on which only the order of two incarnations depends
 * @param name for people; need not be unique; {@linkplain Printable#isName printable}
 * @param address address that others dial, {@code host:port}; printable
 */
public record NodeId(long incarnation, String name, String address) implements Comparable<NodeId> {

    public NodeId {
        if (name.length() > TEXT_MAX) {
            throw new IllegalArgumentException("name has " + name.length() + " characters, at most " + TEXT_MAX);
        }
        if (address.length() > TEXT_MAX) {
            throw new IllegalArgumentException("address has " + address.length() + " characters, at most " + TEXT_MAX);
        }
        Printable.checkName("the name of a node", name);
        Printable.checkName("the address of a node", address);
    }

    /** Characters that a name or an address may have. */
    public static final int TEXT_MAX = 255;

    /** Returns whether a node may have this name or address. */
    static boolean isText(String text) {
        return text.length() <= TEXT_MAX && Printable.isName(text);
    }

    @Override
    public int compareTo(NodeId other) {
        int order = Long.compare(incarnation, other.incarnation);
        return order != 0 ? order : address.compareTo(other.address);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof NodeId node && node.incarnation == incarnation && node.address.equals(address);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(incarnation);
    }

    @Override
    public String toString() {
        return name;
    }
}
