package dev.tutti.sites.internal.log;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.core.Member;

/**
 * Sender of a message, as other sites know it. A node that was restarted, or has joined the group again, is another one.
 *
 * @param incarnation of its node
 * @param join number of its membership
 * @param name of its node, for people
 */
public record OriginMember(long incarnation, int join, String name) implements Comparable<OriginMember> {

    /** Smallest size in bytes. */
    public static final int BYTES_MIN = Long.BYTES + 2 * Integer.BYTES;

    public static OriginMember of(Member member) {
        return new OriginMember(member.node().incarnation(), member.join(), member.name());
    }

    public void put(ByteOutput out) {
        out.putLong(incarnation).putInt(join).putText(name);
    }

    /** @throws dev.tutti.blocks.codec.MalformedException if there is none */
    public static OriginMember take(ByteInput in) {
        return new OriginMember(in.takeLong(), in.takeInt(), in.takeText());
    }

    /** Orders by age: the incarnation first, then the join. */
    @Override
    public int compareTo(OriginMember other) {
        int order = Long.compare(incarnation, other.incarnation);
        return order != 0 ? order : Integer.compare(join, other.join);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OriginMember member && member.incarnation == incarnation && member.join == join;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(incarnation) * 31 + join;
    }

    @Override
    public String toString() {
        return name + "#" + incarnation + "." + join;
    }
}
