package dev.tutti.blocks.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A growing sequence of bytes to whose end values are put; numbers are big-endian. Not thread-safe.
 *
 * <p>Putting throws {@link TooLongException} if there would be more than {@link #lengthMax} bytes.
 */
public final class ByteOutput {

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int LENGTH_FIRST = 256;

    /** Greatest length, a little less than that of the largest array. */
    private static final int LENGTH_LIMIT = Integer.MAX_VALUE - 64;

    private byte[] bytes = new byte[LENGTH_FIRST];
    private int length;
    private int lengthMax = LENGTH_LIMIT;

    /** Number of records that the present place lies in. */
    private int depth;

    /** Returns the number of bytes. */
    public int length() {
        return length;
    }

    /** Returns the maximum number of bytes. */
    public int lengthMax() {
        return lengthMax;
    }

    /** Drops all bytes; up to {@code lengthMax} may follow. */
    public ByteOutput reset(long lengthMax) {
        this.length = 0;
        this.depth = 0;
        this.lengthMax = (int) Math.min(lengthMax, LENGTH_LIMIT);
        return this;
    }

    /** Returns the array with the bytes from 0 to {@link #length}; another one may be used after the next put. */
    public byte[] array() {
        return bytes;
    }

    /** Returns a copy of the bytes. */
    public byte[] copy() {
        return Arrays.copyOf(bytes, length);
    }

    /** Makes room for bytes, and returns their place. */
    private int room(int count) {
        int at = length;
        if (lengthMax - at < count) {
            throw new TooLongException(count + " bytes more after " + at + ", at most " + lengthMax);
        }
        if (bytes.length - at < count) {
            int doubled = (int) Math.min(bytes.length * 2L, LENGTH_LIMIT);
            bytes = Arrays.copyOf(bytes, Math.max(doubled, at + count));
        }
        length = at + count;
        return at;
    }

    public ByteOutput putByte(int value) {
        // The room first: it may replace the array.
        int at = room(1);
        bytes[at] = (byte) value;
        return this;
    }

    public ByteOutput putBoolean(boolean value) {
        return putByte(value ? 1 : 0);
    }

    public ByteOutput putChar(char value) {
        return putByte(value >>> Byte.SIZE).putByte(value);
    }

    public ByteOutput putInt(int value) {
        int at = room(Integer.BYTES);
        INT.set(bytes, at, value);
        return this;
    }

    public ByteOutput putLong(long value) {
        int at = room(Long.BYTES);
        LONG.set(bytes, at, value);
        return this;
    }

    public ByteOutput putDouble(double value) {
        return putLong(Double.doubleToRawLongBits(value));
    }

    /** Begins a record that lies in those begun before. */
    void enter(String record) {
        if (++depth > Codecs.DEPTH_MAX) {
            throw new IllegalArgumentException(record + " lies in more than " + Codecs.DEPTH_MAX + " others, which nobody would read");
        }
    }

    /** Ends the record that was begun last. */
    void leave() {
        depth--;
    }

    /** Replaces a number that was put at {@code at}. */
    public ByteOutput setInt(int at, int value) {
        checkPut(at, Integer.BYTES);
        INT.set(bytes, at, value);
        return this;
    }

    /** Replaces a number that was put at {@code at}. */
    public ByteOutput setLong(int at, long value) {
        checkPut(at, Long.BYTES);
        LONG.set(bytes, at, value);
        return this;
    }

    private void checkPut(int at, int count) {
        if (at < 0 || length - at < count) {
            throw new IndexOutOfBoundsException(count + " bytes at " + at + " of " + length);
        }
    }

    /** Puts bytes as they are, without their length. */
    public ByteOutput putRaw(byte[] source, int offset, int count) {
        int at = room(count);
        System.arraycopy(source, offset, bytes, at, count);
        return this;
    }

    /** Puts a length and that number of bytes. */
    public ByteOutput putBytes(byte[] source) {
        return putInt(source.length).putRaw(source, 0, source.length);
    }

    /** Puts a length in bytes and a text in UTF-8. */
    public ByteOutput putText(String text) {
        return putBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return length + " bytes";
    }
}
