package dev.tutti.blocks.codec;

import dev.tutti.blocks.internal.argument.Arguments;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Converts values of one type to bytes, and bytes to values.
 *
 * <p>Called from many threads, those of a node's loop among them: it must not wait for anything. The same bytes give
 * the same value at all members. The input of {@link #take} comes from other processes; it throws {@link
 * MalformedException} for bytes that it has not written, which all members ignore alike. Maps and machines read each
 * value back before they send it. A member whose codec throws anything else, for bytes that the others can read, no
 * longer has the same state as they, and leaves the group.
 *
 * @param <T> the values
 */
public interface Codec<T extends @Nullable Object> {

    void put(T value, ByteOutput out);

    T take(ByteInput in);

    Codec<byte[]> BYTES = of(ByteInput::takeBytes, (bytes, out) -> out.putBytes(bytes));

    Codec<String> TEXT = of(ByteInput::takeText, (text, out) -> out.putText(text));

    Codec<Integer> INT = of(ByteInput::takeInt, (number, out) -> out.putInt(number));

    Codec<Long> LONG = of(ByteInput::takeLong, (number, out) -> out.putLong(number));

    Codec<Double> DOUBLE = of(ByteInput::takeDouble, (number, out) -> out.putDouble(number));

    Codec<Boolean> BOOLEAN = of(ByteInput::takeBoolean, (flag, out) -> out.putBoolean(flag));

    /** Null, in no bytes: for procedures without a request or an answer. */
    Codec<@Nullable Void> NOTHING = new Codec<>() {
        @Override
        public void put(@Nullable Void value, ByteOutput out) {
            // There is nothing to put.
        }

        @Override
        public @Nullable Void take(ByteInput in) {
            return null;
        }
    };

    /**
     * Returns the codec of a record, an enum, or another type that {@link Codecs#standard} knows or derives one for.
     *
     * @throws IllegalArgumentException if there is none; the message says for which part of the type
     */
    static <T> Codec<T> of(Class<T> type) {
        return Codecs.standard().of(Arguments.required(type, "of: the type"));
    }

    /** Returns a codec of two functions. */
    static <T> Codec<T> of(Function<ByteInput, T> take, BiConsumer<T, ByteOutput> put) {
        Arguments.required(take, "of: the function that takes");
        Arguments.required(put, "of: the function that puts");
        return new Codec<>() {
            @Override
            public void put(T value, ByteOutput out) {
                put.accept(value, out);
            }

            @Override
            public T take(ByteInput in) {
                return take.apply(in);
            }
        };
    }

    /** Returns a codec for values that may be null, in one byte more. */
    static <T> Codec<@Nullable T> nullable(Codec<T> codec) {
        Arguments.required(codec, "nullable: the codec");
        return new Codec<>() {
            @Override
            public void put(@Nullable T value, ByteOutput out) {
                out.putBoolean(value != null);
                if (value != null) {
                    codec.put(value, out);
                }
            }

            @Override
            public @Nullable T take(ByteInput in) {
                return in.takeBoolean() ? codec.take(in) : null;
            }
        };
    }

    /** Returns a codec for lists of values of at least one byte each. The lists that it takes are unmodifiable. */
    static <T> Codec<List<T>> list(Codec<T> codec) {
        Arguments.required(codec, "list: the codec");
        return of(
                in -> {
                    int count = in.takeCount(1);
                    // Grows as it is read: an element may take more memory as an object than on the wire.
                    List<T> taken = new ArrayList<>();
                    for (int index = 0; index < count; index++) {
                        taken.add(codec.take(in));
                    }
                    return Collections.unmodifiableList(taken);
                },
                (list, out) -> {
                    out.putInt(list.size());
                    for (T value : list) {
                        int before = out.length();
                        codec.put(value, out);
                        if (out.length() == before) {
                            throw new IllegalArgumentException(
                                    value + " has no bytes; the values of a list have at least one each");
                        }
                    }
                });
    }

    /** Returns a codec for sets of values of at least one byte each. Those that it takes are unmodifiable, in the order in which they were put. */
    static <T> Codec<Set<T>> set(Codec<T> codec) {
        Codec<List<T>> list = list(codec);
        return of(
                in -> {
                    List<T> values = list.take(in);
                    Set<T> taken = new LinkedHashSet<>(values);
                    if (taken.size() < values.size()) {
                        throw new MalformedException("a set of " + values.size() + " values, of which " + taken.size() + " differ");
                    }
                    return Collections.unmodifiableSet(taken);
                },
                (set, out) -> list.put(new ArrayList<>(set), out));
    }

    /** Returns a codec for maps with keys of at least one byte each. Those that it takes are unmodifiable, in the order in which they were put. */
    static <K, V> Codec<Map<K, V>> map(Codec<K> keys, Codec<V> values) {
        Arguments.required(keys, "map: the codec of keys");
        Arguments.required(values, "map: the codec of values");
        return of(
                in -> {
                    int count = in.takeCount(1);
                    Map<K, V> taken = new LinkedHashMap<>();
                    for (int index = 0; index < count; index++) {
                        taken.put(keys.take(in), values.take(in));
                    }
                    if (taken.size() < count) {
                        throw new MalformedException("a map with " + count + " keys, of which " + taken.size() + " differ");
                    }
                    return Collections.unmodifiableMap(taken);
                },
                (map, out) -> {
                    out.putInt(map.size());
                    map.forEach((key, value) -> {
                        int before = out.length();
                        keys.put(key, out);
                        if (out.length() == before) {
                            throw new IllegalArgumentException(key + " has no bytes; the keys of a map have at least one each");
                        }
                        values.put(value, out);
                    });
                });
    }

    /** Returns a codec for values that may be absent, in one byte more. */
    static <T> Codec<Optional<T>> optional(Codec<T> codec) {
        Codec<@Nullable T> nullable = nullable(codec);
        return of(in -> Optional.ofNullable(nullable.take(in)), (value, out) -> nullable.put(value.orElse(null), out));
    }
}
