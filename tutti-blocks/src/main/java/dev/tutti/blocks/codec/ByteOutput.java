package dev.tutti.blocks.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Bytes that grow as values are put at their end; numbers are big-endian. Not thread-safe.
 *
 * <p>Putting throws {@link TooLongException} where the bytes would become more than {@link #lengthMax}.
 */
public final class ByteOutput {

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int LENGTH_FIRST = 256;

    /** A little less than the largest array. */
    private static final int LENGTH_LIMIT = Integer.MAX_VALUE - 64;

    private byte[] bytes = new byte[LENGTH_FIRST];
    private int length;
    private int lengthMax = LENGTH_LIMIT;

    /** How many bytes there are. */
    public int length() {
        return length;
    }

    /** How many bytes there may be. */
    public int lengthMax() {
        return lengthMax;
    }

    /** Drops all bytes; up to {@code lengthMax} may follow. */
    public ByteOutput reset(long lengthMax) {
        this.length = 0;
        this.lengthMax = (int) Math.min(lengthMax, LENGTH_LIMIT);
        return this;
    }

    /** The array that the bytes are in, from 0 to {@link #length}; another one after the next put. */
    public byte[] array() {
        return bytes;
    }

    /** A copy of the bytes. */
    public byte[] copy() {
        return Arrays.copyOf(bytes, length);
    }

    /** Makes room, and says where. */
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
        // Room first: it may make another array.
        int at = room(1);
        bytes[at] = (byte) value;
        return this;
    }

    public ByteOutput putBoolean(boolean value) {
        return putByte(value ? 1 : 0);
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

    /** Changes a number that was put at {@code at}. */
    public ByteOutput setInt(int at, int value) {
        checkPut(at, Integer.BYTES);
        INT.set(bytes, at, value);
        return this;
    }

    /** Changes a number that was put at {@code at}. */
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

    /** Puts bytes as they are, without their count. */
    public ByteOutput putRaw(byte[] source, int offset, int count) {
        int at = room(count);
        System.arraycopy(source, offset, bytes, at, count);
        return this;
    }

    /** Puts a count and so many bytes. */
    public ByteOutput putBytes(byte[] source) {
        return putInt(source.length).putRaw(source, 0, source.length);
    }

    /** Puts a count of bytes and so many bytes of UTF-8. */
    public ByteOutput putText(String text) {
        return putBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return length + " bytes";
    }
}
