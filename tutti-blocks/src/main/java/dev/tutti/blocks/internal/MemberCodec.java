package dev.tutti.blocks.internal;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;

/** Codec of members in states. */
public final class MemberCodec implements Codec<Member> {

    public static final MemberCodec MEMBER = new MemberCodec();

    /** Size of a member with an empty name and address. */
    public static final int BYTES_MIN = Long.BYTES + Integer.BYTES * 3;

    private MemberCodec() {}

    @Override
    public void put(Member member, ByteOutput out) {
        out.putLong(member.node().incarnation())
                .putText(member.node().name())
                .putText(member.node().address())
                .putInt(member.join());
    }

    @Override
    public Member take(ByteInput in) {
        long incarnation = in.takeLong();
        String name = in.takeText();
        String address = in.takeText();
        try {
            return new Member(new NodeId(incarnation, name, address), in.takeInt());
        } catch (IllegalArgumentException e) {
            throw new MalformedException("a member: " + e.getMessage());
        }
    }
}
