package dev.tutti.jcache.internal;

import dev.tutti.blocks.codec.MalformedException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidClassException;
import java.io.NotSerializableException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.ObjectStreamException;
import java.io.OutputStream;
import java.util.List;
import java.util.Set;
import javax.cache.CacheException;
import org.jspecify.annotations.Nullable;

/**
 * Java serialization of keys and values, of allowed classes only. Classes are checked when an object is written, too, so
 * that one that others would refuse is reported where the object was made. Thread-safe.
 */
public final class Serializer {

    /** Values and collections of the JDK, and bounds on the graphs of objects. */
    private static final String STANDARD = "maxdepth=200;maxrefs=1000000;"
            + "java.lang.*;java.io.Serializable;java.math.*;java.net.URI;java.time.**;java.util.*;java.util.concurrent.**;"
            + "java.sql.Date;java.sql.Time;java.sql.Timestamp;sun.util.calendar.ZoneInfo;";

    /** Types that a class loader does not find by their names. */
    private static final Set<String> PRIMITIVES =
            Set.of("boolean", "byte", "char", "double", "float", "int", "long", "short", "void");

    /** A hashed collection has up to three slots per element, at least sixteen. */
    private static final int ARRAY_ELEMENTS_PER_BYTE = 4;

    private static final int ARRAY_ELEMENTS_MIN = 1_024;

    private final String cache;
    private final ClassLoader classes;
    private final ObjectInputFilter filter;
    private final List<String> allowed;
    private final int bytesMax;

    /**
     * @param allowed patterns of JEP 290 for classes besides those of the JDK, separated by semicolons
     * @param bytesMax maximum size of a serialized key or value
     */
    public Serializer(String cache, ClassLoader classes, String allowed, int bytesMax) {
        this.cache = cache;
        this.classes = classes;
        this.allowed = List.of(allowed.split(";", -1));
        this.filter = ObjectInputFilter.Config.createFilter(STANDARD + (allowed.isEmpty() ? "" : allowed + ";") + "!*");
        this.bytesMax = bytesMax;
    }

    /**
     * Returns the bytes of a key or value.
     *
     * @param what for messages, such as {@code "the key"}
     */
    public byte[] write(Object object, String what) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (CheckedOutput output = new CheckedOutput(new BoundedOutput(bytes))) {
            output.writeObject(object);
        } catch (NotSerializableException e) {
            throw new CacheException(
                    "cache " + cache + ": " + what + " can't be stored, class " + e.getMessage() + " does not implement java.io.Serializable", e);
        } catch (IOException e) {
            throw new CacheException("cache " + cache + ": " + what + " of class " + object.getClass().getName()
                    + " can't be stored: " + e.getMessage(), e);
        }
        return bytes.toByteArray();
    }

    /** Returns the key that an application names. */
    public Key key(Object object) {
        return new Key(write(object, "the key"), object);
    }

    /**
     * Returns the key of a command.
     *
     * @throws MalformedException if the bytes are no object of an allowed class, which is so at all members
     * @throws IllegalStateException if this member lacks a class
     */
    public Key key(byte[] bytes) {
        try {
            return new Key(bytes, readObject(bytes));
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("cache " + cache + ": this member has no class " + e.getMessage()
                    + ", of which another member has put a key; all members of a cache need the classes of its keys", e);
        } catch (IOException | RuntimeException e) {
            throw new MalformedException("a key can't be read: " + e);
        }
    }

    /** Returns the object in these bytes. */
    public Object read(byte[] bytes, String what) {
        try {
            return readObject(bytes);
        } catch (IOException | ClassNotFoundException e) {
            throw new CacheException("cache " + cache + ": " + what + " can't be read: " + e
                    + "; this member needs the classes that other members put, and dev.tutti.jcache.classes must allow them", e);
        }
    }

    private Object readObject(byte[] bytes) throws IOException, ClassNotFoundException {
        try (LoadingInput input = new LoadingInput(new ByteArrayInputStream(bytes))) {
            input.setObjectInputFilter(new Bounded(bytes.length));
            Object object = input.readObject();
            if (object == null) {
                throw new InvalidClassException("no object");
            }
            return object;
        } catch (StackOverflowError e) {
            // A collection that contains itself is hashed while it is read.
            throw new IOException("a collection is in itself", e);
        }
    }

    /** Returns whether the application has allowed a class of this name, so that other members may have it. */
    private boolean isAllowed(String name) {
        for (String pattern : allowed) {
            int wild = pattern.indexOf('*');
            if (wild < 0 ? name.equals(pattern) : name.startsWith(pattern.substring(0, wild))) {
                return true;
            }
        }
        return false;
    }

    /** The filter, with a bound on the array elements that bytes may ask for: arrays are allocated before they are filled. */
    private final class Bounded implements ObjectInputFilter {
        private long elementsLeft;

        Bounded(int byteCount) {
            elementsLeft = ARRAY_ELEMENTS_MIN + (long) ARRAY_ELEMENTS_PER_BYTE * byteCount;
        }

        @Override
        public Status checkInput(FilterInfo info) {
            elementsLeft -= Math.max(0, info.arrayLength());
            return elementsLeft < 0 ? Status.REJECTED : filter.checkInput(info);
        }
    }

    /** Refuses to grow beyond the bound. */
    private final class BoundedOutput extends OutputStream {
        private final OutputStream target;
        private int count;

        BoundedOutput(OutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int single) throws IOException {
            count(1);
            target.write(single);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            count(length);
            target.write(bytes, offset, length);
        }

        private void count(int length) throws IOException {
            if (length > bytesMax - count) {
                throw new IOException("it has more than " + bytesMax + " bytes (dev.tutti.jcache.entryBytesMax)");
            }
            count += length;
        }
    }

    private final class CheckedOutput extends ObjectOutputStream {
        private boolean isFailing;

        CheckedOutput(OutputStream output) throws IOException {
            super(output);
        }

        /** Checks the class, except of an exception that a failing stream writes into itself before it is thrown. */
        @Override
        protected void annotateClass(Class<?> type) throws IOException {
            isFailing |= ObjectStreamException.class.isAssignableFrom(type);
            if (!isFailing && filter.checkInput(new Named(type)) == ObjectInputFilter.Status.REJECTED) {
                throw new InvalidClassException("class " + type.getName()
                        + " is not allowed; add it, or its package as in com.shop.*, to the property dev.tutti.jcache.classes");
            }
        }
    }

    private final class LoadingInput extends ObjectInputStream {

        LoadingInput(InputStream input) throws IOException {
            super(input);
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
            String name = description.getName();
            try {
                return Class.forName(name, false, classes);
            } catch (ClassNotFoundException e) {
                if (PRIMITIVES.contains(name)) {
                    return super.resolveClass(description);
                }
                if (!isAllowed(name)) {
                    throw new InvalidClassException(name, "it is not allowed");
                }
                throw e;
            }
        }
    }

    /**
     * A question to the filter about a class alone.
     *
     * @param serialClass the class
     */
    private record Named(@Nullable Class<?> serialClass) implements ObjectInputFilter.FilterInfo {

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
            return 0;
        }
    }
}
