package dev.tutti.blocks.directory;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import java.util.Collections;
import java.util.List;
import javax.naming.BinaryRefAddr;
import javax.naming.LinkRef;
import javax.naming.RefAddr;
import javax.naming.Reference;
import javax.naming.StringRefAddr;
import org.jspecify.annotations.Nullable;

/**
 * Values that a {@link DirectoryContext} can hold: texts, whole numbers, doubles, flags, bytes, and references of JNDI
 * as plain data. There is no Java serialization; other objects have to provide a {@link Reference}.
 */
public final class NamingValues {

    private static final int REFERENCE_ADDRESSES_MAX = 256;

    private NamingValues() {}

    /** Returns the codec for {@link Directory#on}, which throws {@link IllegalArgumentException} for other classes. */
    public static Codec<Object> codec() {
        return Codec.of(NamingValues::take, NamingValues::put);
    }

    /** Returns whether a value may be bound. */
    static boolean isKnown(Object value) {
        return value instanceof String
                || value instanceof Integer
                || value instanceof Long
                || value instanceof Double
                || value instanceof Boolean
                || value instanceof byte[]
                || isPlain(value);
    }

    /** Returns whether it is exactly a reference or link, whose addresses are of known classes, too. */
    private static boolean isPlain(Object value) {
        return value instanceof Reference reference
                && (value.getClass() == Reference.class || value.getClass() == LinkRef.class)
                && Collections.list(reference.getAll()).stream()
                        .allMatch(each -> each.getClass() == StringRefAddr.class || each.getClass() == BinaryRefAddr.class);
    }

    private static void put(Object value, ByteOutput out) {
        switch (value) {
            case String text -> out.putByte(1).putText(text);
            case Integer number -> out.putByte(2).putInt(number);
            case Long number -> out.putByte(3).putLong(number);
            case Double number -> out.putByte(4).putDouble(number);
            case Boolean flag -> out.putByte(5).putBoolean(flag);
            case byte[] bytes -> out.putByte(6).putBytes(bytes);
            case LinkRef link when isPlain(link) -> {
                out.putByte(8);
                putReference(link, out);
            }
            case Reference reference when isPlain(reference) -> {
                out.putByte(7);
                putReference(reference, out);
            }
            default ->
                throw new IllegalArgumentException("a " + value.getClass().getName() + " can't be bound: texts, Integer, Long,"
                        + " Double, Boolean, byte[] and javax.naming.Reference with addresses of text or bytes can");
        }
    }

    private static void putReference(Reference reference, ByteOutput out) {
        out.putText(reference.getClassName());
        putNullable(reference.getFactoryClassName(), out);
        putNullable(reference.getFactoryClassLocation(), out);
        List<RefAddr> addresses = Collections.list(reference.getAll());
        out.putInt(addresses.size());
        for (RefAddr each : addresses) {
            out.putText(each.getType());
            boolean isBytes = each instanceof BinaryRefAddr;
            out.putBoolean(isBytes);
            if (isBytes) {
                out.putBytes((byte[]) each.getContent());
            } else {
                putNullable((String) each.getContent(), out);
            }
        }
    }

    private static void putNullable(@Nullable String text, ByteOutput out) {
        out.putBoolean(text != null);
        if (text != null) {
            out.putText(text);
        }
    }

    private static Object take(ByteInput in) {
        byte kind = in.takeByte();
        return switch (kind) {
            case 1 -> in.takeText();
            case 2 -> in.takeInt();
            case 3 -> in.takeLong();
            case 4 -> in.takeDouble();
            case 5 -> in.takeBoolean();
            case 6 -> in.takeBytes();
            case 7, 8 -> takeReference(kind == 8, in);
            default -> throw new MalformedException("a value of kind " + kind);
        };
    }

    private static Reference takeReference(boolean isLink, ByteInput in) {
        String className = in.takeText();
        String factory = takeNullable(in);
        String location = takeNullable(in);
        // A link is a reference with one address, its name.
        Reference reference = isLink ? new LinkRef("") : new Reference(className, factory, location);
        if (isLink) {
            reference.clear();
        }
        int count = in.takeCount(1);
        if (count > REFERENCE_ADDRESSES_MAX) {
            throw new MalformedException(count + " addresses in a reference, at most " + REFERENCE_ADDRESSES_MAX);
        }
        for (int index = 0; index < count; index++) {
            String type = in.takeText();
            reference.add(in.takeBoolean()
                    ? new BinaryRefAddr(type, in.takeBytes())
                    : new StringRefAddr(type, takeNullable(in)));
        }
        return reference;
    }

    private static @Nullable String takeNullable(ByteInput in) {
        return in.takeBoolean() ? in.takeText() : null;
    }
}
