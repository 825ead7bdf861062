package dev.tutti.blocks.map;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.internal.MemberCodec;
import dev.tutti.core.Member;
import dev.tutti.core.ViewId;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A map at a cut. As a stream: a block with the header, blocks of registers, an empty block; each block is its length and
 * so many bytes.
 *
 * @param view that the member comes from that has made it, or whose state it was before
 * @param members of that view
 * @param clock the highest sequence that was seen
 * @param heard of the members that have spoken in the view the last sequence
 * @param registers live ones and removals, each by version
 */
record Image<K, V>(
        ViewId view,
        List<Member> members,
        long clock,
        long changes,
        TreeMap<Member, Long> heard,
        List<Register<K, V>> registers) {

    private static final byte FORMAT = 1;
    private static final int BLOCK_BYTES = 64 * 1024;
    private static final int BLOCK_BYTES_MAX = 1 << 30;

    void write(RegisterCodec<K, V> codec, OutputStream stream) throws IOException {
        DataOutputStream out = new DataOutputStream(stream);
        ByteOutput block = new ByteOutput();
        block.putByte(FORMAT);
        MemberCodec.VIEW_ID.put(view, block);
        block.putInt(members.size());
        members.forEach(member -> MemberCodec.MEMBER.put(member, block));
        block.putLong(clock).putLong(changes).putInt(heard.size());
        heard.forEach((member, sequence) -> {
            MemberCodec.MEMBER.put(member, block);
            block.putLong(sequence);
        });
        flush(block, out);
        for (Register<K, V> register : registers) {
            codec.put(register, block);
            if (block.length() >= BLOCK_BYTES) {
                flush(block, out);
            }
        }
        if (block.length() > 0) {
            flush(block, out);
        }
        flush(block, out);
        out.flush();
    }

    private static void flush(ByteOutput block, DataOutputStream out) throws IOException {
        out.writeInt(block.length());
        out.write(block.array(), 0, block.length());
        block.reset(BLOCK_BYTES_MAX);
    }

    static <K, V> Image<K, V> read(RegisterCodec<K, V> codec, InputStream stream) throws IOException {
        DataInputStream source = new DataInputStream(stream);
        ByteInput in = block(source);
        byte format = in.takeByte();
        if (format != FORMAT) {
            throw new IOException("a map's state of format " + format + ", and " + FORMAT + " is known here");
        }
        ViewId view = MemberCodec.VIEW_ID.take(in);
        List<Member> members = new ArrayList<>();
        int memberCount = in.takeCount(1);
        for (int index = 0; index < memberCount; index++) {
            members.add(MemberCodec.MEMBER.take(in));
        }
        long clock = in.takeLong();
        long changes = in.takeLong();
        TreeMap<Member, Long> heard = new TreeMap<>();
        int heardCount = in.takeCount(1);
        for (int index = 0; index < heardCount; index++) {
            Member member = MemberCodec.MEMBER.take(in);
            heard.put(member, in.takeLong());
        }
        in.end();
        List<Register<K, V>> registers = new ArrayList<>();
        for (in = block(source); in.remaining() > 0; in = block(source)) {
            while (in.remaining() > 0) {
                registers.add(codec.take(in));
            }
        }
        return new Image<>(view, members, clock, changes, heard, registers);
    }

    private static ByteInput block(DataInputStream source) throws IOException {
        int length = source.readInt();
        if (length < 0 || length > BLOCK_BYTES_MAX) {
            throw new IOException("a block of " + length + " bytes in a map's state, at most " + BLOCK_BYTES_MAX);
        }
        byte[] bytes = source.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("a map's state ends in the middle of a block");
        }
        return new ByteInput(bytes);
    }

    /** All of it in a store of its own. */
    Store<K, V> store() {
        Store<K, V> store = new Store<>();
        registers.forEach(store::set);
        return store;
    }

    static <K, V> List<Register<K, V>> registers(Store<K, V> store) {
        List<Register<K, V>> all = store.live();
        all.addAll(store.removed());
        return all;
    }

    /** Keys and values, from the first written to the last. */
    static <K, V> Map<K, V> entries(List<Register<K, V>> registers) {
        Map<K, V> entries = new LinkedHashMap<>();
        for (Register<K, V> each : registers) {
            V value = each.value();
            if (value != null) {
                entries.put(each.key(), value);
            }
        }
        return entries;
    }
}
