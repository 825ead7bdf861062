package dev.tutti.blocks.internal;

import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.ViewId;

/** Members and views' ids in bytes. */
public final class MemberCodec {

    private MemberCodec() {}

    public static final Codec<Member> MEMBER = Codec.of(
            in -> {
                long incarnation = in.takeLong();
                int join = in.takeInt();
                String name = in.takeText();
                String address = in.takeText();
                if (name.length() > NodeId.TEXT_MAX || address.length() > NodeId.TEXT_MAX) {
                    throw new MalformedException("a member whose name has " + name.length() + " characters, and its address "
                            + address.length() + ", at most " + NodeId.TEXT_MAX);
                }
                return new Member(new NodeId(incarnation, name, address), join);
            },
            (member, out) -> out.putLong(member.node().incarnation())
                    .putInt(member.join())
                    .putText(member.node().name())
                    .putText(member.node().address()));

    public static final Codec<ViewId> VIEW_ID = Codec.of(
            in -> new ViewId(in.takeLong(), in.takeInt(), MEMBER.take(in)),
            (id, out) -> MEMBER.put(id.proposer(), out.putLong(id.number()).putInt(id.attempt())));
}
