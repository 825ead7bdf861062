package dev.tutti.blocks.codec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Bytes that values are taken from, in the order in which they were put. Not thread-safe.
 *
 * <p>Taking throws {@link MalformedException} where the bytes are not what was asked for, and never allocates more than
 * there are bytes left.
 */
public final class ByteInput {

    private static final byte[] NOTHING = {};

    private final ByteBuffer bytes;

    /** @param bytes from their position to their limit; big-endian, and not to be changed while they are read */
    public ByteInput(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    public ByteInput(byte[] bytes) {
        this(ByteBuffer.wrap(bytes));
    }

    /** How many bytes are left. */
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
     * A count of things that follow.
     *
     * @param bytesEach how many bytes each of them has at least, more than 0
     */
    public int takeCount(int bytesEach) {
        int count = takeInt();
        if (count < 0 || count > bytes.remaining() / bytesEach) {
            throw new MalformedException("a count of " + count + " with " + bytes.remaining() + " bytes left");
        }
        return count;
    }

    /** A count and so many bytes. */
    public byte[] takeBytes() {
        int count = takeCount(1);
        if (count == 0) {
            return NOTHING;
        }
        byte[] taken = new byte[count];
        bytes.get(taken);
        return taken;
    }

    /** A count of bytes and so many bytes of UTF-8; what is none is replaced, as {@link String} does. */
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
