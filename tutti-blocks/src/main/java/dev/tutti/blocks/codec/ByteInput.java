package dev.tutti.blocks.codec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Bytes from which values are taken, in the order in which they were put. Not thread-safe.
 *
 * <p>Taking throws {@link MalformedException} if the bytes are not a value of the wanted type, and never allocates more
 * than there are bytes left.
 */
public final class ByteInput {

    private static final byte[] NOTHING = {};

    private final ByteBuffer bytes;

    /** Number of records that the present place lies in. */
    private int depth;

    /** @param bytes from their position to their limit; big-endian, and must not be changed while they are read */
    public ByteInput(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    public ByteInput(byte[] bytes) {
        this(ByteBuffer.wrap(bytes));
    }

    /** Returns the number of bytes left. */
    public int remaining() {
        return bytes.remaining();
    }

    private void need(int count) {
        if (bytes.remaining() < count) {
            throw new MalformedException(
                    count + " bytes expected at " + bytes.position() + ", and there are " + bytes.remaining());
        }
    }

    public byte takeByte() {
        need(1);
        return bytes.get();
    }

    public boolean takeBoolean() {
        byte value = takeByte();
        if (value != 0 && value != 1) {
            throw new MalformedException("0 or 1 expected, not " + value);
        }
        return value == 1;
    }

    public char takeChar() {
        need(Character.BYTES);
        return bytes.getChar();
    }

    public int takeInt() {
        need(Integer.BYTES);
        return bytes.getInt();
    }

    public long takeLong() {
        need(Long.BYTES);
        return bytes.getLong();
    }

    public double takeDouble() {
        return Double.longBitsToDouble(takeLong());
    }

    /**
     * Takes the number of elements that follow.
     *
     * @param bytesEach minimum size of an element in bytes, more than 0
     */
    public int takeCount(int bytesEach) {
        int count = takeInt();
        if (count < 0 || count > bytes.remaining() / bytesEach) {
            throw new MalformedException("a count of " + count + " with " + bytes.remaining() + " bytes left");
        }
        return count;
    }

    /** Takes a length and that number of bytes. */
    public byte[] takeBytes() {
        int count = takeCount(1);
        if (count == 0) {
            return NOTHING;
        }
        byte[] taken = new byte[count];
        bytes.get(taken);
        return taken;
    }

    /** Takes a length in bytes and a text in UTF-8; invalid bytes are replaced, as {@link String} does. */
    public String takeText() {
        int count = takeCount(1);
        if (bytes.hasArray()) {
            int at = bytes.arrayOffset() + bytes.position();
            bytes.position(bytes.position() + count);
            return new String(bytes.array(), at, count, StandardCharsets.UTF_8);
        }
        byte[] taken = new byte[count];
        bytes.get(taken);
        return new String(taken, StandardCharsets.UTF_8);
    }

    /**
     * Takes a length, and ends this input behind that number of bytes until {@link #leave}.
     *
     * @param record what the bytes are, for people
     * @return for {@code leave}
     */
    int enter(String record) {
        if (++depth > Codecs.DEPTH_MAX) {
            throw new MalformedException(record + " lies in more than " + Codecs.DEPTH_MAX + " others");
        }
        int count = takeCount(1);
        int outer = bytes.limit();
        bytes.limit(bytes.position() + count);
        return outer;
    }

    /** Passes over what is left of a record, and ends where it ended before. */
    void leave(int outer) {
        depth--;
        bytes.position(bytes.limit()).limit(outer);
    }

    /** @throws MalformedException if bytes are left */
    public void end() {
        if (bytes.hasRemaining()) {
            throw new MalformedException(bytes.remaining() + " bytes after the end");
        }
    }

    @Override
    public String toString() {
        return remaining() + " bytes left";
    }
}
