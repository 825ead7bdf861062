package dev.tutti.blocks.map.distributed;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import org.jspecify.annotations.Nullable;

/**
 * An operation on one entry, for the home of its shard.
 *
 * @param value to be written; null if nothing is
 * @param expected value that the entry has to have; null if the operation does not depend on it
 * @param timeToLiveNanos of the entry; 0 for that of the map
 */
record Request(Kind kind, int shard, EntryKey key, byte @Nullable [] value, byte @Nullable [] expected, long timeToLiveNanos) {

    /** Kinds of operations; their order is that of the numbers in messages. */
    enum Kind {
        GET,
        /** Waits until the home has executed everything that had returned to anybody before. */
        SYNC,
        PUT,
        GET_AND_PUT,
        PUT_IF_ABSENT,
        REPLACE,
        REPLACE_IF_EQUAL,
        REMOVE,
        GET_AND_REMOVE,
        REMOVE_IF_EQUAL;

        /** Returns whether the operation may be made again when it is unknown whether it was executed: it changes nothing. */
        boolean isRepeatable() {
            return this == GET || this == SYNC;
        }

        /** Returns whether the answer has the previous value. */
        boolean isPreviousWanted() {
            return switch (this) {
                case GET, GET_AND_PUT, PUT_IF_ABSENT, REPLACE, GET_AND_REMOVE -> true;
                case SYNC, PUT, REPLACE_IF_EQUAL, REMOVE, REMOVE_IF_EQUAL -> false;
            };
        }
    }

    static final Codec<Request> CODEC = Codec.of(Request::take, Request::put);

    private static final Codec<byte @Nullable []> OPTIONAL = Codec.nullable(Codec.BYTES);
    private static final Kind[] KINDS = Kind.values();

    /** Returns a request that has neither a value nor an expected one. */
    static Request of(Kind kind, int shard, EntryKey key) {
        return new Request(kind, shard, key, null, null, 0);
    }

    private static void put(Request request, ByteOutput out) {
        out.putByte(request.kind.ordinal()).putInt(request.shard).putLong(request.timeToLiveNanos);
        EntryKey.CODEC.put(request.key, out);
        OPTIONAL.put(request.value, out);
        OPTIONAL.put(request.expected, out);
    }

    private static Request take(ByteInput in) {
        int kind = in.takeByte();
        if (kind < 0 || kind >= KINDS.length) {
            throw new MalformedException("an operation of kind " + kind);
        }
        int shard = in.takeInt();
        long timeToLiveNanos = in.takeLong();
        Request request =
                new Request(KINDS[kind], shard, EntryKey.CODEC.take(in), OPTIONAL.take(in), OPTIONAL.take(in), timeToLiveNanos);
        request.check();
        return request;
    }

    private void check() {
        boolean isWrite =
                switch (kind) {
                    case PUT, GET_AND_PUT, PUT_IF_ABSENT, REPLACE, REPLACE_IF_EQUAL -> true;
                    case GET, SYNC, REMOVE, GET_AND_REMOVE, REMOVE_IF_EQUAL -> false;
                };
        boolean isConditional = kind == Kind.REPLACE_IF_EQUAL || kind == Kind.REMOVE_IF_EQUAL;
        if (shard < 0 || timeToLiveNanos < 0 || isWrite != (value != null) || isConditional != (expected != null)) {
            throw new MalformedException("operation " + kind + " on shard " + shard + " with" + (value == null ? "out" : "")
                    + " a value, with" + (expected == null ? "out" : "") + " an expected one");
        }
        if (key.equals(EntryKey.OPENED) && kind != Kind.SYNC) {
            throw new MalformedException("operation " + kind + " on a key without bytes");
        }
    }

    /** Returns the value of an operation that has one. */
    byte[] written() {
        return required(value);
    }

    /** Returns the expected value of an operation that has one. */
    byte[] wanted() {
        return required(expected);
    }

    private byte[] required(byte @Nullable [] bytes) {
        if (bytes == null) {
            throw new IllegalStateException("operation " + kind + " lacks a value");
        }
        return bytes;
    }

    @Override
    public String toString() {
        return kind + " of " + key + " in shard " + shard;
    }
}
