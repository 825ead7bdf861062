package dev.tutti.blocks.map;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Encodes registers: key, byte flags, [value], [long time to live, long age]; in states preceded by a version.
 *
 * @param nanos this member's clock, for ages
 */
record RegisterCodec<K, V>(Codec<K> keys, Codec<V> values, LongSupplier nanos) {

    private static final int LIVE = 1;
    private static final int MORTAL = 2;

    /** Puts a write without a version, which it gets where it is delivered. */
    void putWrite(K key, @Nullable V value, long timeToLiveNanos, long ageNanos, ByteOutput out) {
        keys.put(key, out);
        boolean isMortal = value != null && timeToLiveNanos != 0;
        out.putByte((value == null ? 0 : LIVE) | (isMortal ? MORTAL : 0));
        if (value != null) {
            values.put(value, out);
        }
        if (isMortal) {
            out.putLong(timeToLiveNanos).putLong(ageNanos);
        }
    }

    Register<K, V> takeWrite(ByteInput in, EntryVersion version) {
        int before = in.remaining();
        K key = keys.take(in);
        int flags = in.takeByte();
        if (flags < 0 || flags > (LIVE | MORTAL) || flags == MORTAL) {
            throw new MalformedException("flags of a register are " + flags);
        }
        V value = (flags & LIVE) == 0 ? null : values.take(in);
        if ((flags & LIVE) != 0 && value == null) {
            throw new MalformedException("the codec of values gives null, which is no value of an entry");
        }
        int bytes = before - in.remaining();
        long timeToLiveNanos = 0;
        long ageNanos = 0;
        if ((flags & MORTAL) != 0) {
            timeToLiveNanos = in.takeLong();
            ageNanos = in.takeLong();
            if (timeToLiveNanos <= 0 || ageNanos < 0) {
                throw new MalformedException("a time to live of " + timeToLiveNanos + " ns at an age of " + ageNanos);
            }
        }
        return new Register<>(key, value, bytes, version, timeToLiveNanos, nanos.getAsLong() - ageNanos);
    }

    void put(Register<K, V> register, ByteOutput out) {
        EntryVersion.CODEC.put(register.version(), out);
        putWrite(register, out);
    }

    /** Puts a register without its version. */
    void putWrite(Register<K, V> register, ByteOutput out) {
        long ageNanos = Math.max(0, nanos.getAsLong() - register.bornNanos());
        putWrite(register.key(), register.value(), register.timeToLiveNanos(), ageNanos, out);
    }

    Register<K, V> take(ByteInput in) {
        EntryVersion version = EntryVersion.CODEC.take(in);
        return takeWrite(in, version);
    }
}
