package dev.tutti.spring.serial;

import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.NotSerializableException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Java's serialization, for a list of classes: values of the JDK, those of Spring Security that are in sessions, and what the
 * application allows. Other classes are refused when they are read, and when they are written, where the mistake is.
 */
public final class ObjectBytes {

    private static final List<String> VALUES = List.of(
            "java.lang.*",
            "java.math.*",
            "java.net.URI",
            "java.sql.Date",
            "java.sql.Time",
            "java.sql.Timestamp",
            "java.time.**",
            "java.util.*",
            "java.util.concurrent.**",
            "sun.util.calendar.ZoneInfo",
            "org.springframework.cache.support.NullValue",
            "org.springframework.security.**");

    private final List<String> allowed;
    private final ObjectInputFilter filter;

    /**
     * @param allowed patterns: {@code com.shop.Cart}, {@code com.shop.*} for a package, {@code com.shop.**} for a package and
     *     those below it
     * @throws IllegalArgumentException if one is not a pattern, or would allow everything
     */
    public ObjectBytes(List<String> allowed) {
        for (String pattern : allowed) {
            if (!pattern.matches("[\\p{L}_$][\\p{L}\\p{N}_$]*(\\.[\\p{L}_$][\\p{L}\\p{N}_$]*)*(\\.\\*\\*?)?")) {
                throw new IllegalArgumentException("allowed-classes: '" + pattern + "' is neither a class (com.shop.Cart), nor a"
                        + " package (com.shop.*), nor a package with those below it (com.shop.**)");
            }
        }
        this.allowed = List.copyOf(allowed);
        this.filter = ObjectInputFilter.Config.createFilter("maxdepth=200;maxrefs=1000000;maxarray=100000000;"
                + String.join(";", VALUES)
                + (allowed.isEmpty() ? "" : ";" + String.join(";", allowed))
                + ";!*");
    }

    /** @throws IllegalArgumentException if it can't be written, or could not be read again; the message names the class */
    public byte[] encode(Object value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new Checked(bytes)) {
            out.writeObject(value);
        } catch (NotSerializableException e) {
            throw new IllegalArgumentException("a " + value.getClass().getName() + " can't be replicated: class " + e.getMessage()
                    + " does not implement java.io.Serializable", e);
        } catch (IOException e) {
            throw new IllegalArgumentException("a " + value.getClass().getName() + " can't be replicated: " + e.getMessage(), e);
        }
        return bytes.toByteArray();
    }

    /** @throws IllegalStateException if a class is missing or not allowed, or the bytes are not an object */
    public Object decode(byte[] bytes) {
        try (ObjectInputStream in = new Loading(bytes)) {
            in.setObjectInputFilter(filter);
            Object value = in.readObject();
            if (value == null) {
                throw new InvalidClassException("no object");
            }
            return value;
        } catch (InvalidClassException e) {
            throw new IllegalStateException("an object can't be read: " + e.getMessage() + advice(), e);
        } catch (ClassNotFoundException | IOException e) {
            throw new IllegalStateException("an object can't be read: " + e, e);
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

    private String advice() {
        return "; allowed are values of the JDK and " + allowed + ". Add its package to tutti.spring.allowed-classes";
    }

    /** A filter's view of a class that is about to be written. */
    private record Written(Class<?> serialClass) implements ObjectInputFilter.FilterInfo {
        @Override
        public long arrayLength() {
            return -1;
        }

        @Override
        public long depth() {
            return 1;
        }

        @Override
        public long references() {
            return 1;
        }

        @Override
        public long streamBytes() {
            return 1;
        }
    }

    private final class Checked extends ObjectOutputStream {

        Checked(ByteArrayOutputStream bytes) throws IOException {
            super(bytes);
        }

        @Override
        protected void annotateClass(Class<?> type) throws IOException {
            if (filter.checkInput(new Written(type)) == ObjectInputFilter.Status.REJECTED) {
                throw new InvalidClassException(type.getName(), "class is not allowed" + advice());
            }
        }
    }

    /** Finds classes where the application does. */
    private static final class Loading extends ObjectInputStream {

        private final @Nullable ClassLoader classes = ClassUtils.getDefaultClassLoader();

        Loading(byte[] bytes) throws IOException {
            super(new ByteArrayInputStream(bytes));
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
            try {
                return ClassUtils.forName(description.getName(), classes);
            } catch (ClassNotFoundException e) {
                return super.resolveClass(description);
            }
        }
    }
}
