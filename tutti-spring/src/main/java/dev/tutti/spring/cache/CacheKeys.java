package dev.tutti.spring.cache;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.temporal.TemporalAccessor;
import java.util.List;
import java.util.UUID;
import org.springframework.cache.interceptor.SimpleKey;

/**
 * Keys of caches as texts, which are equal if and only if the keys are. Serialized bytes would not do: equal objects may have
 * different ones, and an eviction would miss its entry.
 */
final class CacheKeys {

    private static final Field PARAMETERS = parameters();

    private CacheKeys() {}

    private static Field parameters() {
        try {
            Field field = SimpleKey.class.getDeclaredField("params");
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException("SimpleKey of this version of Spring has no parameters", e);
        }
    }

    /** @throws IllegalArgumentException if the key is of a type that has no text */
    static String text(String cache, Object key) {
        StringBuilder text = new StringBuilder();
        put(cache, key, text);
        return text.toString();
    }

    private static void put(String cache, Object key, StringBuilder text) {
        switch (key) {
            case null -> text.append("null");
            case String value -> putSized("s", value, text);
            case Character value -> putSized("c", value.toString(), text);
            case Boolean value -> putSized("b", value.toString(), text);
            case Integer value -> putSized("i", value.toString(), text);
            case Long value -> putSized("l", value.toString(), text);
            case Short value -> putSized("h", value.toString(), text);
            case Byte value -> putSized("y", value.toString(), text);
            case Double value -> putSized("d", value.toString(), text);
            case Float value -> putSized("f", value.toString(), text);
            case BigInteger value -> putSized("I", value.toString(), text);
            case BigDecimal value -> putSized("D", value.toString(), text);
            case UUID value -> putSized("u", value.toString(), text);
            case Enum<?> value -> putSized("e" + value.getDeclaringClass().getName(), value.name(), text);
            case TemporalAccessor value when value.getClass().getName().startsWith("java.time.") ->
                putSized("t" + value.getClass().getName(), value.toString(), text);
            case SimpleKey value -> putSimple(cache, value, text);
            case Record value -> putRecord(cache, value, text);
            case List<?> value -> putAll(cache, "L", value.toArray(), text);
            default -> {
                if (!key.getClass().isArray()) {
                    throw new IllegalArgumentException("cache " + cache + ": a " + key.getClass().getName() + " is no key; keys are"
                            + " texts, numbers, enums, UUIDs, times, records and lists of these. @Cacheable(key = …) selects one");
                }
                Object[] elements = new Object[Array.getLength(key)];
                for (int index = 0; index < elements.length; index++) {
                    elements[index] = Array.get(key, index);
                }
                putAll(cache, "A", elements, text);
            }
        }
    }

    private static void putSized(String type, String value, StringBuilder text) {
        text.append(type).append(value.length()).append(':').append(value);
    }

    private static void putSimple(String cache, SimpleKey key, StringBuilder text) {
        try {
            if (PARAMETERS.get(key) instanceof Object[] parameters) {
                putAll(cache, "K", parameters, text);
                return;
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("the parameters of a SimpleKey can't be read", e);
        }
        throw new IllegalStateException("the parameters of a SimpleKey are no array");
    }

    private static void putRecord(String cache, Record key, StringBuilder text) {
        RecordComponent[] components = key.getClass().getRecordComponents();
        Object[] values = new Object[components.length];
        for (int index = 0; index < components.length; index++) {
            try {
                components[index].getAccessor().setAccessible(true);
                values[index] = components[index].getAccessor().invoke(key);
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new IllegalArgumentException("cache " + cache + ": " + components[index] + " of a key can't be read", e);
            }
        }
        putAll(cache, "R" + key.getClass().getName(), values, text);
    }

    private static void putAll(String cache, String type, Object[] values, StringBuilder text) {
        text.append(type).append(values.length).append('(');
        for (Object value : values) {
            put(cache, value, text);
        }
        text.append(')');
    }
}
