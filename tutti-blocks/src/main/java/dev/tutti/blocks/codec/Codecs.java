package dev.tutti.blocks.codec;

import dev.tutti.blocks.internal.argument.Arguments;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Codecs by the types of their values. Immutable.
 *
 * <p>{@link #standard} has those of numbers ({@code BigInteger} and {@code BigDecimal} included), {@code boolean}, {@code char}, {@code String},
 * {@code byte[]}, {@code Instant}, {@code Duration}, {@code LocalDate} and {@code UUID}; others are added by {@link #with}. From these, codecs of
 * the following types are derived:
 *
 * <ul>
 *   <li>Lists, sets, maps and optionals of such types. What is taken is unmodifiable, in the order in which it was put.
 *   <li>Records, by their components. One that may be null has an annotation named {@code Nullable}. Components may be added at the end, which
 *       members with the older version of the record pass over. If its sender has the older version, a newer component is null or empty, or 0
 *       or false if it is primitive; other types are refused. A value that the record's constructor refuses is refused as malformed.
 *   <li>Enums, by the names of their constants.
 *   <li>Sealed types, by the simple names of their alternatives, which are records or enums, or have a codec.
 * </ul>
 *
 * <p>Values may lie in each other to a depth of {@value #DEPTH_MAX}. The messages of exceptions name the record and the component.
 */
public final class Codecs {

    /** Greatest depth to which records lie in each other. */
    public static final int DEPTH_MAX = 64;

    /** Bytes of the longest number: enough for 10,000 decimal digits. */
    private static final int NUMBER_BYTES_MAX = 4_160;

    private static final int SCALE_MAX = 10_000;

    private static final Codecs STANDARD = new Codecs(Map.ofEntries(
            Map.entry(byte[].class, Codec.BYTES),
            Map.entry(String.class, Codec.TEXT),
            Map.entry(Byte.class, Codec.of(ByteInput::takeByte, (number, out) -> out.putByte(number))),
            Map.entry(Short.class, Codec.of(in -> (short) in.takeChar(), (number, out) -> out.putChar((char) (short) number))),
            Map.entry(Character.class, Codec.of(ByteInput::takeChar, (sign, out) -> out.putChar(sign))),
            Map.entry(Integer.class, Codec.INT),
            Map.entry(Long.class, Codec.LONG),
            Map.entry(Float.class, Codec.of(in -> Float.intBitsToFloat(in.takeInt()), (number, out) -> out.putInt(Float.floatToRawIntBits(number)))),
            Map.entry(Double.class, Codec.DOUBLE),
            Map.entry(Boolean.class, Codec.BOOLEAN),
            Map.entry(Void.class, Codec.NOTHING),
            Map.entry(BigInteger.class, Codec.of(Codecs::takeInteger, Codecs::putInteger)),
            Map.entry(BigDecimal.class, Codec.of(Codecs::takeDecimal, Codecs::putDecimal)),
            Map.entry(Instant.class, Codec.of(Codecs::takeInstant, Codecs::putInstant)),
            Map.entry(Duration.class, Codec.of(Codecs::takeDuration, Codecs::putDuration)),
            Map.entry(LocalDate.class, Codec.of(Codecs::takeDate, (date, out) -> out.putLong(date.toEpochDay()))),
            Map.entry(UUID.class, Codec.of(
                    in -> new UUID(in.takeLong(), in.takeLong()),
                    (id, out) -> out.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits())))));

    private final Map<Class<?>, Codec<?>> byType;

    private Codecs(Map<Class<?>, Codec<?>> byType) {
        this.byType = Map.copyOf(byType);
    }

    public static Codecs standard() {
        return STANDARD;
    }

    /** Returns these codecs and one for exactly {@code type}, which replaces the previous one. */
    public <T> Codecs with(Class<T> type, Codec<T> codec) {
        Arguments.required(type, "with: the type");
        Arguments.required(codec, "with: the codec");
        Map<Class<?>, Codec<?>> more = new HashMap<>(byType);
        more.put(type, codec);
        return new Codecs(more);
    }

    /**
     * Returns the codec of a type, derived from those of its parts if it has none of its own.
     *
     * @throws IllegalArgumentException if there is none, or a record is in a package that is not open to this module
     */
    public Codec<?> of(Type type) {
        return new TypeCodecs(byType).of(Arguments.required(type, "of: the type"), "", Map.of());
    }

    /** Returns the codec of a class, as {@link #of(Type)} does. */
    @SuppressWarnings("unchecked") // the codec is that of the type
    public <T> Codec<T> of(Class<T> type) {
        return (Codec<T>) of((Type) type);
    }

    // ------------------------------------------------------------------ numbers and times

    private static BigInteger takeInteger(ByteInput in) {
        byte[] bytes = in.takeBytes();
        if (bytes.length == 0 || bytes.length > NUMBER_BYTES_MAX) {
            throw new MalformedException("a number of " + bytes.length + " bytes, 1 to " + NUMBER_BYTES_MAX);
        }
        return new BigInteger(bytes);
    }

    private static void putInteger(BigInteger number, ByteOutput out) {
        if (number.bitLength() / Byte.SIZE + 1 > NUMBER_BYTES_MAX) {
            throw new IllegalArgumentException("a number of " + number.bitLength() + " bits, at most " + (NUMBER_BYTES_MAX * Byte.SIZE - 1));
        }
        out.putBytes(number.toByteArray());
    }

    private static BigDecimal takeDecimal(ByteInput in) {
        int scale = in.takeInt();
        if (scale > SCALE_MAX || scale < -SCALE_MAX) {
            throw new MalformedException("a decimal number of scale " + scale + ", " + -SCALE_MAX + " to " + SCALE_MAX);
        }
        return new BigDecimal(takeInteger(in), scale);
    }

    private static void putDecimal(BigDecimal number, ByteOutput out) {
        if (number.scale() > SCALE_MAX || number.scale() < -SCALE_MAX) {
            throw new IllegalArgumentException("a decimal number of scale " + number.scale() + ", " + -SCALE_MAX + " to " + SCALE_MAX);
        }
        putInteger(number.unscaledValue(), out.putInt(number.scale()));
    }

    private static int takeNanos(ByteInput in) {
        int nanos = in.takeInt();
        if (nanos < 0 || nanos >= 1_000_000_000) {
            throw new MalformedException(nanos + " ns of a second");
        }
        return nanos;
    }

    private static Instant takeInstant(ByteInput in) {
        long seconds = in.takeLong();
        try {
            return Instant.ofEpochSecond(seconds, takeNanos(in));
        } catch (DateTimeException e) {
            throw new MalformedException("an instant " + seconds + " s after 1970");
        }
    }

    private static void putInstant(Instant time, ByteOutput out) {
        out.putLong(time.getEpochSecond()).putInt(time.getNano());
    }

    private static Duration takeDuration(ByteInput in) {
        return Duration.ofSeconds(in.takeLong(), takeNanos(in));
    }

    private static void putDuration(Duration time, ByteOutput out) {
        out.putLong(time.getSeconds()).putInt(time.getNano());
    }

    private static LocalDate takeDate(ByteInput in) {
        long day = in.takeLong();
        try {
            return LocalDate.ofEpochDay(day);
        } catch (DateTimeException e) {
            throw new MalformedException("a date " + day + " days after 1970");
        }
    }
}
