package dev.tutti.blocks.internal.serial;

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
import java.lang.reflect.Proxy;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Java serialization of allowed classes only. Classes are also checked when an object is written, so that a class that others would refuse is
 * reported where the object was created. Graphs are refused if they are deeper than {@value #DEPTH_MAX}, have more than {@value #REFERENCES_MAX}
 * references, arrays longer than the bytes can fill, or collections nested in each other so often that hashing them would not end. Thread-safe.
 */
public final class ObjectSerialization {

    public static final int DEPTH_MAX = 200;
    public static final int REFERENCES_MAX = 1_000_000;

    /** Array elements allowed per byte; a hashed collection has up to three slots per element, at least sixteen. */
    public static final int ARRAY_ELEMENTS_PER_BYTE = 4;

    public static final int ARRAY_ELEMENTS_MIN = 1_024;

    /** Types that a class loader does not find by their names. */
    private static final Set<String> PRIMITIVES = Set.of("boolean", "byte", "char", "double", "float", "int", "long", "short", "void");

    private final AllowedClasses allowed;
    private final String place;
    private final int bytesMax;
    private final String limit;

    /** @param place where classes are allowed, for people, such as {@code "allowedClasses of the <Manager>"} */
    public ObjectSerialization(AllowedClasses allowed, String place) {
        this(allowed, place, Integer.MAX_VALUE, "the largest array");
    }

    /**
     * @param place where classes are allowed, for people
     * @param bytesMax maximum size of a written object
     * @param limit the setting that has {@code bytesMax}, for people
     */
    public ObjectSerialization(AllowedClasses allowed, String place, int bytesMax, String limit) {
        this.allowed = allowed;
        this.place = place;
        this.bytesMax = bytesMax;
        this.limit = limit;
    }

    /** @throws IOException if it can't be written, or could not be read again; the message names the class */
    public byte[] encode(Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (CheckedOutput output = new CheckedOutput(new BoundedOutput(bytes))) {
            output.writeObject(value);
        } catch (NotSerializableException e) {
            throw new IOException("class " + e.getMessage() + " does not implement java.io.Serializable", e);
        }
        return bytes.toByteArray();
    }

    /**
     * @throws IOException if the bytes are no object of allowed classes within the bounds, which is so at all members with the same classes allowed
     * @throws ClassNotFoundException if {@code classes} lacks a class that is allowed
     */
    public Object decode(byte[] bytes, @Nullable ClassLoader classes) throws IOException, ClassNotFoundException {
        try (LoadingInput input = new LoadingInput(new ByteArrayInputStream(bytes), classes)) {
            input.setObjectInputFilter(new Filter(bytes.length));
            Object value = input.readObject();
            if (value == null) {
                throw new InvalidClassException("no object");
            }
            return value;
        } catch (RuntimeException e) {
            throw new IOException("a class refused its own bytes: " + e, e);
        } catch (StackOverflowError e) {
            // A set that contains itself is hashed while it is read; a search for such sets would miss wrapped ones.
            throw new IOException("a collection is in itself", e);
        }
    }

    private final class Filter implements ObjectInputFilter {

        /** Array elements that are still allowed; an array in another is allocated before either is filled. */
        private long elementsLeft;

        Filter(int byteCount) {
            elementsLeft = ARRAY_ELEMENTS_MIN + (long) ARRAY_ELEMENTS_PER_BYTE * byteCount;
        }

        @Override
        public Status checkInput(FilterInfo info) {
            elementsLeft -= Math.max(0, info.arrayLength());
            if (info.depth() > DEPTH_MAX || info.references() > REFERENCES_MAX || elementsLeft < 0) {
                return Status.REJECTED;
            }
            Class<?> type = info.serialClass();
            if (type == null) {
                return Status.UNDECIDED;
            }
            return allowed.allows(type) ? Status.ALLOWED : Status.REJECTED;
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
                throw new IOException("it has more than " + bytesMax + " bytes (" + limit + ")");
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
            if (!isFailing && !allowed.allows(type)) {
                throw new InvalidClassException(
                        "class " + type.getName() + " is not allowed; add it, or its package as in com.shop.*, to " + place);
            }
        }

        @Override
        protected void annotateProxyClass(Class<?> type) throws IOException {
            throw new InvalidClassException("dynamic proxies are not replicated: " + type.getName());
        }
    }

    private final class LoadingInput extends ObjectInputStream {
        private final @Nullable ClassLoader classes;
        private final HashWork hashWork = new HashWork();

        LoadingInput(InputStream input, @Nullable ClassLoader classes) throws IOException {
            super(input);
            this.classes = classes;
            enableResolveObject(true);
        }

        @Override
        protected Object resolveObject(Object read) throws IOException {
            hashWork.note(read);
            return read;
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
                if (!allowed.allowsMissing(name)) {
                    // No other answer than of a member that has the class.
                    throw new InvalidClassException(name, "it is not allowed");
                }
                throw e;
            }
        }

        @Override
        protected @Nullable Class<?> resolveProxyClass(String[] interfaces) throws IOException {
            throw new InvalidClassException("dynamic proxies are not accepted", Proxy.class.getName());
        }
    }
}
