package dev.tutti.blocks.map;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.clock.HybridClock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Messages between members of a map in the last writer's form: docs/wire.md, "Maps". */
final class MapMessage {

    /** Writes: keys and values, or removals. */
    static final int WRITE = 1;

    /** Announces entries that have expired or were evicted. */
    static final int DROP = 2;

    /** Brings in entries of a side that was given up. */
    static final int AGAIN = 3;

    /** Asks everybody to send a message, so that it is known which ones can't come any more. */
    static final int ASK = 4;

    static final int TELL = 5;

    private static final int BYTES_ENOUGH = 64 * 1024;
    private static final int SEQUENCE_AT = 1;
    private static final int VIEW_AT = SEQUENCE_AT + Long.BYTES;
    private static final int MERGING_AT = VIEW_AT + Long.BYTES;
    private static final int WRITTEN_AT = MERGING_AT + 1;
    private static final int WALL_AT = WRITTEN_AT + Long.BYTES;
    private static final int HEADER_BYTES = WALL_AT + Long.BYTES;

    private MapMessage() {}

    /**
     * Header of each message.
     *
     * @param sequence above those of all messages that the sender has sent or received
     * @param view number of the view that was last reported to the sender; 0 for none
     * @param isMerging whether the sender, or another member of its side, has something to bring in again
     * @param stamp the time of the writes in it
     */
    record Header(int kind, long sequence, long view, boolean isMerging, HybridClock.Stamp stamp) {}

    /** Part of a message after the header. */
    sealed interface Body<K, V> {

        /** @param registers without their versions, which they get where they are delivered */
        record Write<K, V>(List<Register<K, V>> registers) implements Body<K, V> {}

        record Drop<K, V>(boolean isExpired, List<Register<K, V>> registers) implements Body<K, V> {}

        record Again<K, V>(String side, boolean isLast, List<Register<K, V>> registers) implements Body<K, V> {}

        record Ask<K, V>() implements Body<K, V> {}

        record Tell<K, V>() implements Body<K, V> {}
    }

    /** @throws MalformedException if the rest is no message of that kind, or is too long */
    static <K, V> Body<K, V> body(int kind, RegisterCodec<K, V> codec, ByteInput in) {
        Body<K, V> body =
                switch (kind) {
                    case WRITE -> new Body.Write<>(all(in, each -> codec.takeWrite(each, EntryVersion.NONE)));
                    case DROP -> new Body.Drop<>(in.takeBoolean(), all(in, each -> takeDrop(codec, each)));
                    case AGAIN -> new Body.Again<>(in.takeText(), in.takeBoolean(), all(in, codec::take));
                    case ASK -> new Body.Ask<>();
                    case TELL -> new Body.Tell<>();
                    default -> throw new MalformedException("a message of kind " + kind);
                };
        in.end();
        return body;
    }

    private static <K, V> Register<K, V> takeDrop(RegisterCodec<K, V> codec, ByteInput in) {
        K key = codec.keys().take(in);
        return new Register<>(key, null, 0, EntryVersion.CODEC.take(in).dropped(), 0, 0);
    }

    private static <K, V> List<Register<K, V>> all(ByteInput in, Function<ByteInput, Register<K, V>> take) {
        int count = in.takeCount(1);
        if (count > Housekeeping.COUNT_MAX) {
            throw new MalformedException(count + " entries in a message, at most " + Housekeeping.COUNT_MAX);
        }
        List<Register<K, V>> all = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            all.add(take.apply(in));
        }
        return all;
    }

    static ByteOutput begin(int kind) {
        return new ByteOutput().putByte(kind).putLong(0).putLong(0).putBoolean(false).putLong(0).putLong(0);
    }

    static byte[] stamp(ByteOutput out, long sequence, long view, boolean isMerging, HybridClock.Stamp stamp) {
        out.setLong(SEQUENCE_AT, sequence).setLong(VIEW_AT, view);
        out.setLong(WRITTEN_AT, stamp.written()).setLong(WALL_AT, stamp.wallMillis());
        out.array()[MERGING_AT] = (byte) (isMerging ? 1 : 0);
        return out.copy();
    }

    static Header header(ByteInput in) {
        return new Header(
                in.takeByte(),
                in.takeLong(),
                in.takeLong(),
                in.takeBoolean(),
                new HybridClock.Stamp(in.takeLong(), in.takeLong()));
    }

    /** Returns whether the next entry belongs into the next message. */
    static boolean isEnough(int count, ByteOutput out) {
        return count >= Housekeeping.COUNT_MAX || out.length() >= BYTES_ENOUGH;
    }

    /** Writes the number of entries into a write. */
    static ByteOutput counted(ByteOutput out, int count) {
        return out.setInt(HEADER_BYTES, count);
    }
}
