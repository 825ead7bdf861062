package dev.tutti.sites.internal.map;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Messages of a map that all sites write. */
public sealed interface SiteMapFrame<K, V> {

    /** A write under a key. */
    record KeyWrite<K, V>(K key, Write<V> write) {}

    /**
     * Something was written.
     *
     * @param wallMillis wall clock of the writer
     */
    record Written<K, V>(long wallMillis, KeyWrite<K, V> write) implements SiteMapFrame<K, V> {}

    /**
     * The sender's site asks for all writes that stand at the receiver, since it has none yet, or has missed some.
     *
     * @param gaps number of times that it has missed writes of that site
     */
    record Ask<K, V>(long gaps) implements SiteMapFrame<K, V> {}

    /**
     * Writes that stand at the sender, as an answer.
     *
     * @param gaps of the question
     * @param isLast whether no more follow
     */
    record Tell<K, V>(long gaps, boolean isLast, List<KeyWrite<K, V>> writes) implements SiteMapFrame<K, V> {}

    /** Puts messages on the wire, and takes them. */
    record Wire<K, V>(Codec<K> keys, Codec<V> values) {

        public byte[] encode(SiteMapFrame<K, V> frame) {
            ByteOutput out = new ByteOutput();
            switch (frame) {
                case Written<K, V> written -> put(written.write, out.putByte(WRITTEN).putLong(written.wallMillis));
                case Ask<K, V> ask -> out.putByte(ASK).putLong(ask.gaps);
                case Tell<K, V> tell -> {
                    out.putByte(TELL).putLong(tell.gaps).putBoolean(tell.isLast).putInt(tell.writes.size());
                    tell.writes.forEach(write -> put(write, out));
                }
            }
            return out.copy();
        }

        /** @throws MalformedException if the bytes are no frame */
        public SiteMapFrame<K, V> decode(byte[] bytes) {
            ByteInput in = new ByteInput(bytes);
            byte kind = in.takeByte();
            SiteMapFrame<K, V> frame =
                    switch (kind) {
                        case WRITTEN -> new Written<>(in.takeLong(), take(in));
                        case ASK -> new Ask<>(in.takeLong());
                        case TELL -> new Tell<>(in.takeLong(), in.takeBoolean(), takeAll(in));
                        default -> throw new MalformedException("a message of a map has kind " + kind);
                    };
            in.end();
            return frame;
        }

        public void put(KeyWrite<K, V> write, ByteOutput out) {
            write.write.stamp().put(out);
            out.putByte(write.write.seen().size());
            write.write.seen().forEach((writer, time) -> out.putLong(writer).putLong(time));
            V value = write.write.value();
            out.putBoolean(value != null);
            keys.put(write.key, out);
            if (value != null) {
                values.put(value, out);
            }
        }

        public KeyWrite<K, V> take(ByteInput in) {
            Stamp stamp = Stamp.take(in);
            int seenCount = in.takeByte();
            if (seenCount < 0 || seenCount > Entry.WRITERS_MAX) {
                throw new MalformedException("a write has seen those of " + seenCount + " writers, at most " + Entry.WRITERS_MAX);
            }
            TreeMap<Long, Long> seen = new TreeMap<>();
            for (int i = 0; i < seenCount; i++) {
                seen.put(in.takeLong(), in.takeLong());
            }
            boolean isLive = in.takeBoolean();
            K key = keys.take(in);
            return new KeyWrite<>(key, new Write<>(stamp, takeValue(in, isLive), seen));
        }

        private @Nullable V takeValue(ByteInput in, boolean isLive) {
            V value = isLive ? values.take(in) : null;
            if (isLive && value == null) {
                throw new MalformedException("the codec of values gives null, which is no value of an entry");
            }
            return value;
        }

        private List<KeyWrite<K, V>> takeAll(ByteInput in) {
            int count = in.takeCount(Stamp.BYTES_MIN);
            List<KeyWrite<K, V>> writes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                writes.add(take(in));
            }
            return writes;
        }
    }

    /** Kinds on the wire. */
    byte WRITTEN = 1;

    byte ASK = 2;
    byte TELL = 3;
}
