package dev.tutti.blocks.map.distributed;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import java.util.Arrays;

/**
 * A key as its codec has written it. Equal keys have equal bytes, so that all members find the same shard for them.
 *
 * @param bytes at least one, except for {@link #OPENED}; not to be changed
 */
record EntryKey(byte[] bytes) {

    /** Entry that a shard has from when it was first served: a copy without it was never part of a shard with entries. */
    static final EntryKey OPENED = new EntryKey(new byte[0]);

    static final Codec<EntryKey> CODEC = Codec.of(EntryKey::take, EntryKey::put);

    private static final int FNV_OFFSET = 0x811C9DC5;
    private static final int FNV_PRIME = 0x01000193;

    private static EntryKey take(ByteInput in) {
        return new EntryKey(in.takeBytes());
    }

    private static void put(EntryKey key, ByteOutput out) {
        out.putBytes(key.bytes);
    }

    /** Returns the shard of the key, by FNV-1a, mixed. */
    int shard(int shards) {
        int hash = FNV_OFFSET;
        for (byte each : bytes) {
            hash = (hash ^ each & 0xFF) * FNV_PRIME;
        }
        hash = (hash ^ hash >>> 16) * 0x85EBCA6B;
        return Integer.remainderUnsigned(hash ^ hash >>> 13, shards);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EntryKey key && Arrays.equals(key.bytes, bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return equals(OPENED) ? "(opened)" : "key of " + bytes.length + " bytes";
    }
}
