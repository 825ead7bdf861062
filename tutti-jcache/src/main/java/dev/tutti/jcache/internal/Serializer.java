package dev.tutti.jcache.internal;

import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.serial.AllowedClasses;
import dev.tutti.blocks.internal.serial.ObjectSerialization;
import java.io.IOException;
import javax.cache.CacheException;

/** Java serialization of keys and values, of allowed classes only. Thread-safe. */
public final class Serializer {

    private static final String PROPERTY = "dev.tutti.jcache.classes";

    /** Classes of the JDK besides its plain values, for keys and values that many caches have. */
    private static final String[] JDK = {"java.lang.*", "java.io.Serializable", "java.util.*", "java.util.concurrent.**"};

    private final String cache;
    private final ClassLoader classes;
    private final ObjectSerialization objects;

    /**
     * @param allowed patterns for classes besides those of the JDK, separated by semicolons or commas; {@code *} allows all
     * @param bytesMax maximum size of a serialized key or value
     */
    public Serializer(String cache, ClassLoader classes, String allowed, int bytesMax) {
        this.cache = cache;
        this.classes = classes;
        this.objects = new ObjectSerialization(
                allowed.matches("(.*[;,\\s])?\\*([;,\\s].*)?") ? AllowedClasses.all() : AllowedClasses.of(PROPERTY, allowed).and(JDK),
                "the property " + PROPERTY,
                bytesMax,
                "dev.tutti.jcache.entryBytesMax");
    }

    /**
     * Returns the bytes of a key or value.
     *
     * @param what for messages, such as {@code "the key"}
     */
    public byte[] write(Object object, String what) {
        try {
            return objects.encode(object);
        } catch (IOException e) {
            throw new CacheException("cache " + cache + ": " + what + " of class " + object.getClass().getName()
                    + " can't be stored: " + e.getMessage(), e);
        }
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
            return new Key(bytes, objects.decode(bytes, classes));
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("cache " + cache + ": this member has no class " + e.getMessage()
                    + ", of which another member has put a key; all members of a cache need the classes of its keys", e);
        } catch (IOException e) {
            throw new MalformedException("a key can't be read: " + e);
        }
    }

    /** Returns the object in these bytes. */
    public Object read(byte[] bytes, String what) {
        try {
            return objects.decode(bytes, classes);
        } catch (IOException | ClassNotFoundException e) {
            throw new CacheException("cache " + cache + ": " + what + " can't be read: " + e
                    + "; this member needs the classes that other members put, and " + PROPERTY + " must allow them", e);
        }
    }
}
