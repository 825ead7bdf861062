package dev.tutti.blocks.codec;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Derives the codec of a type from those of its parts. One object for each derivation. */
final class TypeCodecs {

    private static final Map<Class<?>, Class<?>> BOXES = Map.of(
            boolean.class, Boolean.class,
            byte.class, Byte.class,
            short.class, Short.class,
            char.class, Character.class,
            int.class, Integer.class,
            long.class, Long.class,
            float.class, Float.class,
            double.class, Double.class,
            void.class, Void.class);

    /**
     * A class and the codecs of its type arguments.
     *
     * @param arguments compared by identity, as codecs are
     */
    private record Key(Class<?> type, List<Codec<?>> arguments) {}

    private final Map<Class<?>, Codec<?>> byType;

    /** Codecs that were begun: a type may have parts of its own type. */
    private final Map<Key, Deferred> begun = new HashMap<>();

    TypeCodecs(Map<Class<?>, Codec<?>> byType) {
        this.byType = byType;
    }

    /**
     * Returns the codec of a type.
     *
     * @param where the place of the type, for people
     * @param variables codecs of the type variables there
     */
    Codec<?> of(Type type, String where, Map<TypeVariable<?>, Codec<?>> variables) {
        return switch (type) {
            case Class<?> simple -> ofClass(simple, List.of(), where);
            case ParameterizedType generic -> {
                List<Codec<?>> arguments = new ArrayList<>();
                for (Type argument : generic.getActualTypeArguments()) {
                    arguments.add(of(argument, where, variables));
                }
                yield ofClass((Class<?>) generic.getRawType(), arguments, where);
            }
            case WildcardType wildcard -> of(wildcard.getUpperBounds()[0], where, variables);
            case TypeVariable<?> variable when variables.get(variable) instanceof Codec<?> bound -> bound;
            default -> throw none(type, where);
        };
    }

    private Codec<?> ofClass(Class<?> type, List<Codec<?>> arguments, String where) {
        Codec<?> known = byType.get(BOXES.getOrDefault(type, type));
        if (known != null) {
            return known;
        }
        if (type == List.class && arguments.size() == 1) {
            return Codec.list(arguments.getFirst());
        } else if (type == Set.class && arguments.size() == 1) {
            return Codec.set(arguments.getFirst());
        } else if (type == Map.class && arguments.size() == 2) {
            return Codec.map(arguments.getFirst(), arguments.getLast());
        } else if (type == Optional.class && arguments.size() == 1) {
            return Codec.optional(arguments.getFirst());
        } else if (type.isEnum()) {
            return Constants.of(type);
        } else if (!type.isRecord() && !type.isSealed() || type.getTypeParameters().length != arguments.size()) {
            throw none(type, where);
        }
        return begin(type, arguments, where);
    }

    private Codec<?> begin(Class<?> type, List<Codec<?>> arguments, String where) {
        Deferred open = begun.get(new Key(type, arguments));
        if (open != null) {
            return open;
        }
        Deferred deferred = new Deferred();
        begun.put(new Key(type, arguments), deferred);
        Map<TypeVariable<?>, Codec<?>> variables = new HashMap<>();
        for (int index = 0; index < arguments.size(); index++) {
            variables.put(type.getTypeParameters()[index], arguments.get(index));
        }
        deferred.codec = type.isRecord()
                ? new RecordCodec(
                        type, part -> of(part.getGenericType(), type.getSimpleName() + "." + part.getName(), variables))
                : alternatives(type, where);
        return deferred.codec;
    }

    private Codec<Object> alternatives(Class<?> type, String where) {
        Map<String, Class<?>> types = new LinkedHashMap<>();
        collect(type, types);
        Map<String, Alternative> alternatives = new LinkedHashMap<>();
        types.forEach((name, each) -> alternatives.put(name, Alternative.of(each, ofClass(each, List.of(), where))));
        return new Alternatives(type.getSimpleName(), alternatives);
    }

    private static void collect(Class<?> type, Map<String, Class<?>> into) {
        for (Class<?> each : type.getPermittedSubclasses()) {
            if (each.isSealed() && !each.isEnum()) {
                collect(each, into);
            } else if (into.putIfAbsent(each.getSimpleName(), each) != null) {
                throw new IllegalArgumentException(
                        type.getName() + " has two alternatives of the simple name " + each.getSimpleName() + ", which is sent for them");
            }
        }
    }

    private IllegalArgumentException none(Type type, String where) {
        return new IllegalArgumentException("there is no codec for " + type.getTypeName() + (where.isEmpty() ? "" : ", the type of " + where)
                + "; records, enums, sealed types of them, lists, sets, maps, optionals, numbers, text and times have one; add one with Codecs.with");
    }

    /** The codec of a type that is being derived, for the parts of it. */
    private static final class Deferred implements Codec<Object> {

        private @Nullable Codec<?> codec;

        @SuppressWarnings("unchecked") // as the type says
        private Codec<Object> codec() {
            if (codec == null) {
                throw new IllegalStateException("the codec is used before it is derived");
            }
            return (Codec<Object>) codec;
        }

        @Override
        public void put(Object value, ByteOutput out) {
            codec().put(value, out);
        }

        @Override
        public Object take(ByteInput in) {
            return codec().take(in);
        }
    }

    /** Codec of an enum: the names of its constants, so that constants may be added and moved. */
    private record Constants(String type, Map<String, Object> byName) implements Codec<Object> {

        static Constants of(Class<?> type) {
            Map<String, Object> byName = new LinkedHashMap<>();
            for (Object constant : type.getEnumConstants()) {
                byName.put(((Enum<?>) constant).name(), constant);
            }
            return new Constants(type.getSimpleName(), byName);
        }

        @Override
        public void put(Object value, ByteOutput out) {
            out.putText(((Enum<?>) value).name());
        }

        @Override
        public Object take(ByteInput in) {
            String name = in.takeText();
            Object constant = byName.get(name);
            if (constant == null) {
                throw new MalformedException(type + " has no constant " + Names.shown(name) + ", only " + byName.keySet());
            }
            return constant;
        }
    }

    /** A type that a sealed one permits. */
    private record Alternative(Class<?> type, Codec<Object> codec) {

        @SuppressWarnings("unchecked") // the codec is that of the type
        static Alternative of(Class<?> type, Codec<?> codec) {
            return new Alternative(type, (Codec<Object>) codec);
        }
    }

    /**
     * Codec of a sealed type: the simple name of the alternative, and its value.
     *
     * @param type simple name of the sealed type
     */
    private record Alternatives(String type, Map<String, Alternative> byName) implements Codec<Object> {

        @Override
        public void put(Object value, ByteOutput out) {
            for (Map.Entry<String, Alternative> each : byName.entrySet()) {
                if (each.getValue().type().isInstance(value)) {
                    each.getValue().codec().put(value, out.putText(each.getKey()));
                    return;
                }
            }
            throw new NullPointerException(type + " is null");
        }

        @Override
        public Object take(ByteInput in) {
            String name = in.takeText();
            Alternative alternative = byName.get(name);
            if (alternative == null) {
                throw new MalformedException(type + " has no alternative " + Names.shown(name) + ", only " + byName.keySet());
            }
            return alternative.codec().take(in);
        }
    }

    /** Shows text of others. */
    private static final class Names {

        private static final int LENGTH_MAX = 40;

        private Names() {}

        /** Returns the beginning of a name, with everything that is no letter, digit or sign of a name replaced. */
        static String shown(String name) {
            String start = name.length() > LENGTH_MAX ? name.substring(0, LENGTH_MAX) + "…" : name;
            return "\"" + start.replaceAll("[^\\p{L}\\p{N}_$… -]", "?") + "\"";
        }
    }
}
