package dev.tutti.tomcat;

import dev.tutti.blocks.internal.serial.AllowedClasses;
import dev.tutti.blocks.internal.serial.ObjectSerialization;
import java.io.IOException;
import java.io.Serializable;

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

    static final int DEPTH_MAX = ObjectSerialization.DEPTH_MAX;
    static final int REFERENCES_MAX = ObjectSerialization.REFERENCES_MAX;

    private final ObjectSerialization objects;

    /**
     * @param allowedClasses patterns separated by commas: {@code com.shop.Cart}, {@code com.shop.*} for a package,
     *     {@code com.shop.**} for a package and those below it
     * @throws IllegalArgumentException if one is not a pattern, or would allow everything
     */
    public JavaSerialization(String allowedClasses) {
        this(AllowedClasses.of("allowedClasses", allowedClasses));
    }

    JavaSerialization(AllowedClasses allowed) {
        this.objects = new ObjectSerialization(allowed, "allowedClasses of the <Manager>");
    }

    @Override
    public boolean supports(Object value) {
        return value instanceof Serializable;
    }

    @Override
    public byte[] encode(Object value) throws IOException {
        return objects.encode(value);
    }

    @Override
    public Object decode(byte[] bytes, ClassLoader classes) throws IOException, ClassNotFoundException {
        return objects.decode(bytes, classes);
    }
}
