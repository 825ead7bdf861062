package dev.tutti.blocks.codec;

import dev.tutti.blocks.internal.argument.Arguments;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Codecs by the types of their values. Immutable.
 *
 * <p>There are those of {@code byte[]}, {@code String}, {@code int}, {@code long}, {@code double} and {@code boolean},
 * and of lists of all types that have one; others are added.
 */
public final class Codecs {

    private static final Codecs STANDARD = new Codecs(Map.of(
            byte[].class, Codec.BYTES,
            String.class, Codec.TEXT,
            Integer.class, Codec.INT,
            Long.class, Codec.LONG,
            Double.class, Codec.DOUBLE,
            Boolean.class, Codec.BOOLEAN,
            Void.class, Codec.NOTHING));

    private static final Map<Class<?>, Class<?>> BOXES = Map.of(
            int.class, Integer.class,
            long.class, Long.class,
            double.class, Double.class,
            boolean.class, Boolean.class,
            void.class, Void.class);

    private final Map<Class<?>, Codec<?>> byType;

    private Codecs(Map<Class<?>, Codec<?>> byType) {
        this.byType = Map.copyOf(byType);
    }

    public static Codecs standard() {
        return STANDARD;
    }

    /** Returns these codecs and one for exactly {@code type}, which replaces the previous one. */
    public <T> Codecs with(Class<T> type, Codec<T> codec) {
        Arguments.required(type, "with: the type");
        Arguments.required(codec, "with: the codec");
        Map<Class<?>, Codec<?>> more = new HashMap<>(byType);
        more.put(type, codec);
        return new Codecs(more);
    }

    /**
     * Returns the codec of a type.
     *
     * @param type a class, or a list of one
     * @throws IllegalArgumentException if there is none
     */
    public Codec<?> of(Type type) {
        if (type instanceof Class<?> simple) {
            Codec<?> codec = byType.get(BOXES.getOrDefault(simple, simple));
            if (codec != null) {
                return codec;
            }
        } else if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
            return Codec.list(of(list.getActualTypeArguments()[0]));
        }
        throw new IllegalArgumentException(
                "there is no codec for " + type.getTypeName() + ", only for " + byType.keySet() + " and lists; add one");
    }
}
