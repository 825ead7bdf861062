package dev.tutti.blocks.directory;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import org.jspecify.annotations.Nullable;

/**
 * A value or context under a path.
 *
 * @param value null if it is a context
 * @param version number of the change that made it; 0 for none
 */
record Binding<V>(DirectoryPath path, @Nullable V value, long version) {

    boolean isContext() {
        return value == null;
    }

    static <V> void put(Binding<V> binding, Codec<V> values, ByteOutput out) {
        DirectoryPath.CODEC.put(binding.path, out);
        out.putLong(binding.version).putBoolean(binding.value != null);
        if (binding.value != null) {
            values.put(binding.value, out);
        }
    }

    static <V> Binding<V> take(Codec<V> values, ByteInput in) {
        DirectoryPath path = DirectoryPath.CODEC.take(in);
        long version = in.takeLong();
        return new Binding<>(path, in.takeBoolean() ? values.take(in) : null, version);
    }
}
