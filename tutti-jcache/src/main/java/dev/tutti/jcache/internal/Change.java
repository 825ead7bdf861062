package dev.tutti.jcache.internal;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;

/**
 * A change of one entry, which is made if the entry is still the one that its author has seen.
 *
 * @param expected the version that the author has seen; {@link Version#NONE} for no entry
 * @param value the new value; empty if there is none
 * @param timeToLiveNanos from delivery on; or {@link #ETERNAL}, {@link #UNCHANGED}
 * @param isExpired whether the author has found the entry expired
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares changes.
public record Change(Key key, Version expected, Kind kind, byte[] value, long timeToLiveNanos, boolean isExpired) {

    /** Kinds of changes. The order is that of their codes. */
    public enum Kind {
        /** Changes nothing: the author asks for the place of a read in the order. */
        CONFIRM,
        /** Sets a value. */
        PUT,
        /** Removes the entry. */
        REMOVE,
        /** Removes the entry because its time is over. */
        EXPIRE,
        /** Sets the time to live of the present value. */
        TOUCH,
        /** Gives the entry a new version with the same value, so that overtaken operations are tried again. */
        RENEW
    }

    public static final long ETERNAL = -1;
    public static final long UNCHANGED = -2;

    private static final byte[] NOTHING = {};
    private static final Kind[] KINDS = Kind.values();

    public static Change of(Key key, Version expected, Kind kind, boolean isExpired) {
        return new Change(key, expected, kind, NOTHING, UNCHANGED, isExpired);
    }

    /** Returns the number of bytes in a command, about. */
    public int size() {
        return key.bytes().length + value.length + FIXED_BYTES;
    }

    public static Codec<Change> codec(Serializer serializer) {
        return Codec.of(in -> take(serializer, in), Change::put);
    }

    private static void put(Change change, ByteOutput out) {
        out.putBytes(change.key().bytes());
        change.expected().put(out);
        out.putByte(change.kind().ordinal()).putBytes(change.value()).putLong(change.timeToLiveNanos());
        out.putBoolean(change.isExpired());
    }

    private static Change take(Serializer serializer, ByteInput in) {
        byte[] bytes = in.takeBytes();
        Version expected = Version.take(in);
        byte kind = in.takeByte();
        if (kind < 0 || kind >= KINDS.length) {
            throw new MalformedException("a change of kind " + kind);
        }
        byte[] value = in.takeBytes();
        long timeToLiveNanos = in.takeLong();
        if (timeToLiveNanos < UNCHANGED) {
            throw new MalformedException("a time to live of " + timeToLiveNanos + " ns");
        }
        boolean isExpired = in.takeBoolean();
        return new Change(serializer.key(bytes), expected, KINDS[kind], value, timeToLiveNanos, isExpired);
    }

    private static final int FIXED_BYTES = 64;
}
