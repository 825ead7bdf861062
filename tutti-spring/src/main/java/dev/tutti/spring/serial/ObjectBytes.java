package dev.tutti.spring.serial;

import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.serial.AllowedClasses;
import dev.tutti.blocks.internal.serial.ObjectSerialization;
import java.io.IOException;
import java.util.List;
import org.springframework.util.ClassUtils;

/**
 * Java's serialization, for a list of classes: values of the JDK, those of Spring Security that are in sessions, and what the
 * application allows. Other classes are refused when they are read, and when they are written, where the mistake is.
 */
public final class ObjectBytes {

    private static final String SETTING = "tutti.spring.allowed-classes";

    private static final String[] VALUES = {
        "java.lang.*",
        "java.util.*",
        "java.util.concurrent.**",
        "org.springframework.cache.support.NullValue",
        "org.springframework.security.**"
    };

    private final List<String> allowed;
    private final ObjectSerialization objects;

    /**
     * @param allowed patterns: {@code com.shop.Cart}, {@code com.shop.*} for a package, {@code com.shop.**} for a package and
     *     those below it
     * @throws IllegalArgumentException if one is not a pattern, or would allow everything
     */
    public ObjectBytes(List<String> allowed) {
        this.allowed = List.copyOf(allowed);
        this.objects = new ObjectSerialization(AllowedClasses.of(SETTING, String.join(",", allowed)).and(VALUES), SETTING);
    }

    /** @throws IllegalArgumentException if it can't be written, or could not be read again; the message names the class */
    public byte[] encode(Object value) {
        try {
            return objects.encode(value);
        } catch (IOException e) {
            throw new IllegalArgumentException("a " + value.getClass().getName() + " can't be replicated: " + e.getMessage(), e);
        }
    }

    /** @throws IllegalStateException if a class is missing or not allowed, or the bytes are not an object */
    public Object decode(byte[] bytes) {
        try {
            return objects.decode(bytes, ClassUtils.getDefaultClassLoader());
        } catch (ClassNotFoundException | IOException e) {
            throw new IllegalStateException("an object can't be read: " + e + "; allowed are values of the JDK and " + allowed + ", see " + SETTING, e);
        }
    }

    /** Returns a codec for maps, whose values are read on the thread of the group. */
    public Codec<Object> codec() {
        return Codec.of(
                in -> {
                    try {
                        return decode(in.takeBytes());
                    } catch (IllegalStateException e) {
                        throw new MalformedException(String.valueOf(e.getMessage()));
                    }
                },
                (value, out) -> out.putBytes(encode(value)));
    }
}
