package dev.tutti.blocks;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import java.util.Arrays;
import java.util.List;

/** Values and checks that the targets of all blocks share. */
public final class Values {

    public static final List<Member> MEMBERS = List.of(
            new Member(new NodeId(7, "n1", "n1:7800"), 1),
            new Member(new NodeId(8, "größer", "[::1]:7801"), 2),
            new Member(new NodeId(9, "", ""), 3));

    private Values() {}

    public static Member first() {
        return MEMBERS.getFirst();
    }

    public static <T> byte[] bytes(Codec<T> codec, T value) {
        ByteOutput out = new ByteOutput();
        codec.put(value, out);
        return out.copy();
    }

    /** Checks that a value is the same after it was written and read once more. */
    public static <T> void checkRoundTrip(Codec<T> codec, T taken) {
        byte[] once = bytes(codec, taken);
        ByteInput in = new ByteInput(once);
        byte[] twice = bytes(codec, codec.take(in));
        in.end();
        if (!Arrays.equals(once, twice)) {
            throw new IllegalStateException(taken + " is another one when it is read again");
        }
    }
}
