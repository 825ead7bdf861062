package dev.tutti.blocks.codec;

import java.lang.annotation.Annotation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Codec of a record: a length, and the components in their order. Components may be added at the end: a member that does not know them
 * passes over them, and one that knows more than were sent takes their defaults.
 */
final class RecordCodec implements Codec<Object> {

    /** Values of a component that an older sender does not have, by its type. */
    private static final Map<Class<?>, Object> DEFAULTS = Map.ofEntries(
            Map.entry(boolean.class, false),
            Map.entry(byte.class, (byte) 0),
            Map.entry(short.class, (short) 0),
            Map.entry(char.class, (char) 0),
            Map.entry(int.class, 0),
            Map.entry(long.class, 0L),
            Map.entry(float.class, 0f),
            Map.entry(double.class, 0d),
            Map.entry(Optional.class, Optional.empty()),
            Map.entry(List.class, List.of()),
            Map.entry(Set.class, Set.of()),
            Map.entry(Map.class, Map.of()));

    /**
     * A component.
     *
     * @param path name of the record and of the component
     * @param getter from the record, as an object, to its value, as an object
     * @param absent value if the sender has none
     */
    private record Part(String path, MethodHandle getter, Codec<@Nullable Object> codec, boolean isNullable, @Nullable Object absent) {

        boolean isOptional() {
            return isNullable || absent != null;
        }
    }

    private final String name;
    private final Class<?> type;
    private final MethodHandle constructor;
    private final List<Part> parts;

    /** @param codecs codec of a component, which may not be null */
    RecordCodec(Class<?> type, Function<RecordComponent, Codec<?>> codecs) {
        this.name = type.getSimpleName();
        this.type = type;
        MethodHandles.Lookup lookup = lookup(type);
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Part[] made = new Part[components.length];
        try {
            for (int index = 0; index < components.length; index++) {
                types[index] = components[index].getType();
                made[index] = part(lookup, components[index], codecs);
            }
            this.constructor = lookup.findConstructor(type, MethodType.methodType(void.class, types))
                    .asType(MethodType.genericMethodType(types.length))
                    .asSpreader(Object[].class, types.length);
        } catch (IllegalAccessException | NoSuchMethodException e) {
            throw new IllegalArgumentException("record " + type.getName() + " can't be read: " + e.getMessage(), e);
        }
        this.parts = List.of(made);
    }

    private static MethodHandles.Lookup lookup(Class<?> type) {
        RecordCodec.class.getModule().addReads(type.getModule());
        try {
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
        } catch (IllegalAccessException e) {
            throw new IllegalArgumentException(
                    "package " + type.getPackageName() + " is not open to the codecs: write \"opens " + type.getPackageName()
                            + " to dev.tutti.blocks;\" into the module-info of " + type.getModule().getName() + ", or give record " + type.getName()
                            + " a codec of your own",
                    e);
        }
    }

    @SuppressWarnings("unchecked") // the codec is that of the component's type
    private Part part(MethodHandles.Lookup lookup, RecordComponent component, Function<RecordComponent, Codec<?>> codecs)
            throws IllegalAccessException {
        Codec<Object> codec = (Codec<Object>) codecs.apply(component);
        boolean isNullable = isNullable(component.getAnnotations())
                || isNullable(component.getAnnotatedType().getAnnotations());
        return new Part(
                name + "." + component.getName(),
                lookup.unreflect(component.getAccessor()).asType(MethodType.genericMethodType(1)),
                isNullable ? Codec.nullable(codec) : (Codec<@Nullable Object>) (Codec<?>) codec,
                isNullable,
                DEFAULTS.get(component.getType()));
    }

    /** Returns whether one of the annotations is called Nullable, whoever it is of. */
    private static boolean isNullable(Annotation[] annotations) {
        for (Annotation annotation : annotations) {
            if (annotation.annotationType().getSimpleName().equals("Nullable")) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void put(Object value, ByteOutput out) {
        if (!type.isInstance(value)) {
            throw value == null ? new NullPointerException(name + " is null") : new ClassCastException(value.getClass().getName() + " is no " + name);
        }
        int at = out.length();
        out.putInt(0);
        out.enter(name);
        for (Part part : parts) {
            putPart(part, value, out);
        }
        out.leave();
        out.setInt(at, out.length() - at - Integer.BYTES);
    }

    private static void putPart(Part part, Object value, ByteOutput out) {
        Object found = get(part, value);
        if (found == null && !part.isNullable()) {
            throw new NullPointerException(part.path() + " is null; annotate it with @Nullable, or make it an Optional");
        }
        try {
            part.codec().put(found, out);
        } catch (NullPointerException e) {
            NullPointerException named = new NullPointerException(part.path() + ": " + e.getMessage());
            named.initCause(e);
            throw named;
        }
    }

    private static @Nullable Object get(Part part, Object value) {
        try {
            return part.getter().invokeExact(value);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(part.path() + " can't be read", e);
        }
    }

    @Override
    public Object take(ByteInput in) {
        int outer = in.enter(name);
        @Nullable Object[] values = new @Nullable Object[parts.size()];
        for (int index = 0; index < values.length; index++) {
            Part part = parts.get(index);
            values[index] = in.remaining() == 0 && part.isOptional() ? part.absent() : takePart(part, in);
        }
        in.leave(outer);
        return construct(values);
    }

    private static @Nullable Object takePart(Part part, ByteInput in) {
        if (in.remaining() == 0) {
            throw new MalformedException(part.path() + " is missing: its sender has an older version of the record; annotate it with @Nullable,"
                    + " or make it an Optional");
        }
        try {
            return part.codec().take(in);
        } catch (MalformedException e) {
            throw new MalformedException(part.path() + ": " + e.getMessage());
        }
    }

    private Object construct(@Nullable Object[] values) {
        try {
            return constructor.invokeExact(values);
        } catch (IllegalArgumentException | NullPointerException e) {
            // Checks of the record's constructor: its sender has constructed it, so the bytes are not of a sender.
            throw new MalformedException(name + " is refused by its constructor: " + e.getMessage());
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(name + " can't be constructed", e);
        }
    }

    @Override
    public String toString() {
        return "codec of record " + type.getName();
    }
}
