package dev.tutti.blocks.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.Wire;
import org.junit.jupiter.api.Test;

/** Members and views in states that no member has written. */
class BlocksTest {

    private static final Member MEMBER = new Member(new NodeId(7, "n1", "n1:7800"), 1);

    @Test
    void memberWithTooLongANameIsRefused() {
        ByteOutput out = new ByteOutput().putLong(7).putText("n".repeat(256)).putText("n1:7800").putInt(1);
        assertThatThrownBy(() -> MemberCodec.MEMBER.take(new ByteInput(out.copy())))
                .isInstanceOf(MalformedException.class)
                .hasMessage("a member: name has 256 characters, at most 255");
    }

    @Test
    void viewOfMoreMembersThanThereMayBeIsRefused() {
        ByteOutput out = new ByteOutput().putByte(1).putLong(3).putInt(1);
        MemberCodec.MEMBER.put(MEMBER, out);
        out.putInt(Wire.MEMBERS_MAX + 1);
        byte[] members = new byte[(Wire.MEMBERS_MAX + 1) * MemberCodec.BYTES_MIN];
        out.putRaw(members, 0, members.length);
        assertThatThrownBy(() -> Blocks.Origin.take(1, new ByteInput(out.copy())))
                .isInstanceOf(MalformedException.class)
                .hasMessage("16385 members in the view of a state, at most 16384");
    }
}
