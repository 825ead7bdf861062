package dev.tutti.blocks.internal.content;

import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.TooLongException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A value of the application for people.
 *
 * <p>Its text is its own ({@code toString}) if its class defines one. Of other values, arrays of bytes among them, it is that of the bytes if they
 * are UTF-8 without control characters, and else their first {@value #HEX_BYTES} in hexadecimal digits.
 *
 * @param text at most {@value #TEXT_MAX} characters, and an ellipsis if there are more
 * @param size size of its encoded form
 */
record ShownValue(String text, String size) {

    static final int TEXT_MAX = 256;
    static final int HEX_BYTES = 32;

    /** Size up to which a value is encoded to be shown. */
    static final int BYTES_MAX = 64 * 1024;

    static <V> ShownValue of(V value, Codec<V> codec) {
        try {
            if (value instanceof byte[] own) {
                return new ShownValue(textOf(own), size(own.length));
            }
            ByteOutput out = new ByteOutput().reset(BYTES_MAX);
            boolean isWhole = put(value, codec, out);
            return new ShownValue(
                    hasText(value) ? cut(String.valueOf(value)) : textOf(out.copy()), isWhole ? size(out.length()) : "more than 64 KiB");
        } catch (RuntimeException e) {
            // Thrown by a codec or a toString of the application.
            return new ShownValue("can't be shown: " + e, "");
        }
    }

    /** Encodes a value; returns false if it is too long, and {@code out} has some of its beginning. */
    private static <V> boolean put(V value, Codec<V> codec, ByteOutput out) {
        try {
            codec.put(value, out);
            return true;
        } catch (TooLongException e) {
            return false;
        }
    }

    private static String size(int bytes) {
        return bytes == 1 ? "1 byte" : bytes + " bytes";
    }

    /** Returns whether the class of a value defines a text, other than that with a hash code which all objects have. */
    private static boolean hasText(Object value) {
        try {
            return value.getClass().getMethod("toString").getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("every object has a toString", e);
        }
    }

    static String textOf(byte[] bytes) {
        CharBuffer chars = CharBuffer.allocate(TEXT_MAX + 1);
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        CoderResult result = decoder.decode(in, chars, true);
        String text = chars.flip().toString();
        boolean isText = !result.isError() && text.chars().noneMatch(each -> Character.isISOControl(each) && !Character.isWhitespace(each));
        if (isText) {
            return cut(text);
        }
        String digits = HexFormat.of().formatHex(Arrays.copyOf(bytes, Math.min(bytes.length, HEX_BYTES)));
        return bytes.length > HEX_BYTES ? digits + "…" : digits;
    }

    private static String cut(String text) {
        return text.length() > TEXT_MAX ? text.substring(0, TEXT_MAX) + "…" : text;
    }
}
