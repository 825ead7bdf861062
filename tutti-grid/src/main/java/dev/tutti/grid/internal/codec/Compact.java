package dev.tutti.grid.internal.codec;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Numbers, texts and maps of texts in few bytes. A number is written in groups of seven bits, the lowest first, and each byte
 * but the last has its highest bit set (LEB128, unsigned). A text is its length in bytes, as such a number, and UTF-8.
 */
final class Compact {

    private static final int GROUP_BITS = 7;
    private static final int GROUP_MASK = 0x7f;
    private static final int MORE = 0x80;

    /** Fewest bytes of a name and a value. */
    private static final int PAIR_BYTES_MIN = 2;

    /** Character that stands for bytes that are none, and may be in a text anyway. */
    private static final char REPLACEMENT = '\ufffd';

    private Compact() {}

    static void putNumber(long value, ByteOutput out) {
        long rest = value;
        while ((rest & ~GROUP_MASK) != 0) {
            out.putByte((int) rest & GROUP_MASK | MORE);
            rest >>>= GROUP_BITS;
        }
        out.putByte((int) rest);
    }

    /** Takes a number, which has one encoding only: longer ones than necessary are refused. */
    static long takeNumber(ByteInput in) {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += GROUP_BITS) {
            byte group = in.takeByte();
            value |= (long) (group & GROUP_MASK) << shift;
            if (group >= 0) {
                boolean isShortest = group != 0 || shift == 0;
                boolean isLong = shift + GROUP_BITS <= Long.SIZE || group == 1;
                if (isShortest && isLong) {
                    return value;
                }
                throw new MalformedException("a number ends with the byte " + group + " after " + shift + " bits");
            }
        }
        throw new MalformedException("a number has more than 64 bits");
    }

    /**
     * Takes a number of elements.
     *
     * @param bytesEach fewest bytes of an element
     */
    static int takeCount(int bytesEach, int max, ByteInput in) {
        long count = takeNumber(in);
        if (count < 0 || count > max || count > in.remaining() / bytesEach) {
            throw new MalformedException("a count of " + Long.toUnsignedString(count) + ", at most " + max + ", with " + in.remaining()
                    + " bytes left");
        }
        return (int) count;
    }

    static void putText(String text, ByteOutput out) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        putNumber(bytes.length, out);
        out.putRaw(bytes, 0, bytes.length);
    }

    static String takeText(ByteInput in) {
        byte[] bytes = new byte[takeCount(1, Integer.MAX_VALUE, in)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = in.takeByte();
        }
        return text(bytes);
    }

    /** Returns the text of bytes in UTF-8. Others are refused, since a text with replacements takes more bytes than they. */
    static String text(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) >= 0 && !Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes)) {
            throw new MalformedException("a text of " + bytes.length + " bytes is not in UTF-8");
        }
        return text;
    }

    static void putTexts(Map<String, String> texts, ByteOutput out) {
        putNumber(texts.size(), out);
        for (Map.Entry<String, String> each : texts.entrySet()) {
            putText(each.getKey(), out);
            putText(each.getValue(), out);
        }
    }

    /** @param max most pairs of a name and a value */
    static Map<String, String> takeTexts(int max, ByteInput in) {
        int count = takeCount(PAIR_BYTES_MIN, max, in);
        if (count == 0) {
            return Map.of();
        }
        Map<String, String> texts = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            String name = takeText(in);
            checkNew(name, texts.put(name, takeText(in)) == null);
        }
        return texts;
    }

    static void checkNew(String name, boolean isNew) {
        if (!isNew) {
            throw new MalformedException("the name " + name + " is there twice");
        }
    }
}
