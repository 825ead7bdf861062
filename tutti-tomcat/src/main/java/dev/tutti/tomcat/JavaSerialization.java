package dev.tutti.tomcat;

import dev.tutti.tomcat.serialization.AllowedClasses;
import dev.tutti.tomcat.serialization.HashWork;
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
import java.io.Serializable;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * The default codec: Java serialization of allowed classes only.
 *
 * <p>Plain values and collections of the JDK are always allowed: boxed types, strings, {@code java.math},
 * {@code java.time}, the collections of {@code java.util}, arrays of those. All other classes have to be named. Classes
 * are also checked when an object is encoded, so that a class that others would refuse is reported where the object was
 * created. Graphs are refused if they are deeper than {@value #DEPTH_MAX}, have more than {@value #REFERENCES_MAX}
 * references, arrays longer than the bytes can fill, or collections nested in each other so often that hashing them
 * would not end.
 */
public final class JavaSerialization implements SessionCodec {

    static final int DEPTH_MAX = 200;
    static final int REFERENCES_MAX = 1_000_000;

    /** Array elements allowed per byte; a hashed collection has up to three slots per element, at least sixteen. */
    static final int ARRAY_ELEMENTS_PER_BYTE = 4;

    static final int ARRAY_ELEMENTS_MIN = 1_024;

    private final AllowedClasses allowed;

    /**
     * @param allowedClasses patterns separated by commas: {@code com.shop.Cart}, {@code com.shop.*} for a package,
     *     {@code com.shop.**} for a package and those below it
     * @throws IllegalArgumentException if one is not a pattern, or would allow everything
     */
    public JavaSerialization(String allowedClasses) {
        this(AllowedClasses.of(allowedClasses));
    }

    JavaSerialization(AllowedClasses allowed) {
        this.allowed = allowed;
    }

    @Override
    public boolean supports(Object value) {
        return value instanceof Serializable;
    }

    @Override
    public byte[] encode(Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (CheckedOutput output = new CheckedOutput(bytes, allowed)) {
            output.writeObject(value);
        } catch (NotSerializableException e) {
            throw new IOException("class " + e.getMessage() + " does not implement java.io.Serializable", e);
        }
        return bytes.toByteArray();
    }

    @Override
    public Object decode(byte[] bytes, ClassLoader classes) throws IOException, ClassNotFoundException {
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

    private static final class CheckedOutput extends ObjectOutputStream {
        private final AllowedClasses allowed;
        private boolean isFailing;

        CheckedOutput(OutputStream output, AllowedClasses allowed) throws IOException {
            super(output);
            this.allowed = allowed;
        }

        /** Checks the class, except of an exception that a failing stream writes into itself before it is thrown. */
        @Override
        protected void annotateClass(Class<?> type) throws IOException {
            isFailing |= ObjectStreamException.class.isAssignableFrom(type);
            if (!isFailing && !allowed.allows(type)) {
                throw new InvalidClassException("class " + type.getName()
                        + " is not allowed; add it, or its package as in com.shop.*, to allowedClasses of the <Manager>");
            }
        }

        @Override
        protected void annotateProxyClass(Class<?> type) throws IOException {
            throw new InvalidClassException("dynamic proxies are not replicated: " + type.getName());
        }
    }

    private static final class LoadingInput extends ObjectInputStream {
        private final ClassLoader classes;
        private final HashWork hashWork = new HashWork();

        LoadingInput(InputStream input, ClassLoader classes) throws IOException {
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
            return Class.forName(description.getName(), false, classes);
        }

        @Override
        protected @Nullable Class<?> resolveProxyClass(String[] interfaces) throws IOException {
            throw new InvalidClassException("dynamic proxies are not accepted", Proxy.class.getName());
        }
    }
}
