package dev.tutti.protocols.link;

/** Multicast contact between two nodes that have a link: each direction may work or not. */
public final class MulticastContact {

    /** Time at which a multicast of the other node was last heard; {@link Links#NEVER} if none was. */
    public long heardNanos = Links.NEVER;

    /** Multicasts of the other node arrive here, as it was told. */
    public boolean isHeard;

    /** Multicasts of this node arrive at the other node, as it has told. */
    public boolean isReached;
}
