package dev.tutti.blocks.internal;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.core.Member;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A state as a stream of blocks: each is a length and that number of bytes, with an empty one at the end. The first
 * holds the format and the side that the state belongs to.
 */
public final class Blocks {

    /** Size from which a block is written, and the next one begun. */
    public static final int ENOUGH = 64 * 1024;

    private static final int LENGTH_MAX = 1 << 30;

    private Blocks() {}

    /**
     * The side that a state belongs to.
     *
     * @param view from which its members come
     * @param members of that view
     */
    public record Origin(ViewId view, List<Member> members) {
        public Origin {
            members = List.copyOf(members);
        }

        public void put(int format, ByteOutput out) {
            out.putByte(format);
            out.putLong(view.number()).putInt(view.attempt());
            MemberCodec.MEMBER.put(view.proposer(), out);
            out.putInt(members.size());
            members.forEach(member -> MemberCodec.MEMBER.put(member, out));
        }

        /** @throws IOException if the format is another one */
        public static Origin take(int format, ByteInput in) throws IOException {
            byte found = in.takeByte();
            if (found != format) {
                throw new IOException("a state of format " + found + ", and " + format + " is known here");
            }
            ViewId view = new ViewId(in.takeLong(), in.takeInt(), MemberCodec.MEMBER.take(in));
            List<Member> members = new ArrayList<>();
            int count = in.takeCount(MemberCodec.BYTES_MIN);
            if (count > Wire.MEMBERS_MAX) {
                throw new MalformedException(count + " members in the view of a state, at most " + Wire.MEMBERS_MAX);
            }
            for (int index = 0; index < count; index++) {
                members.add(MemberCodec.MEMBER.take(in));
            }
            return new Origin(view, members);
        }
    }

    /** Writes the contents of {@code block}, if there are any, and drops them. */
    public static void write(ByteOutput block, DataOutputStream out) throws IOException {
        if (block.length() > 0) {
            out.writeInt(block.length());
            out.write(block.array(), 0, block.length());
            block.reset(LENGTH_MAX);
        }
    }

    /** Writes the rest of the last block, and the end of the stream. */
    public static void end(ByteOutput block, DataOutputStream out) throws IOException {
        write(block, out);
        out.writeInt(0);
        out.flush();
    }

    /** Reads the next block; checks that an empty one ends the stream, so that the whole state is read. */
    public static ByteInput read(DataInputStream source) throws IOException {
        int length = source.readInt();
        if (length < 0 || length > LENGTH_MAX) {
            throw new IOException("a block of " + length + " bytes in a state, at most " + LENGTH_MAX);
        }
        if (length == 0 && source.read() >= 0) {
            throw new IOException("a state goes on behind its last block");
        }
        byte[] bytes = source.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("a state ends in the middle of a block");
        }
        return new ByteInput(bytes);
    }
}
