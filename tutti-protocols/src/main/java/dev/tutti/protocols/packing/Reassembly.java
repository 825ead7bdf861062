package dev.tutti.protocols.packing;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Assembles a large message from its pieces, one sender's stream at a time.
 *
 * <p>New memory is at most four times the bytes that have arrived, never as much as a length promises. Spare memory is
 * taken at once. A piece that does not follow the previous one ends the message, which happens if a sender starts it
 * again after a view change, or has crashed.
 */
public final class Reassembly {

    /** Longest message. */
    public static final long MESSAGE_BYTES_MAX = 1L << 30;

    /** Growth factor. With two, a megabyte was copied once more in all, and two megabytes were allocated for it. */
    private static final long GROWTH = 4;

    private static final byte[] NONE = new byte[0];

    private final SpareArrays spares;
    private byte[] bytes = NONE;
    private int length;
    private long total = -1;
    private int message;
    private long abandoned;

    /** Creates an assembly in memory of its own, which is as long as the message. */
    public Reassembly() {
        this(new SpareArrays(0));
    }

    /** @param spares source of memory, as far as there is some, which takes it back unless it holds a message */
    public Reassembly(SpareArrays spares) {
        this.spares = spares;
    }

    /**
     * Takes a piece, and returns the message once it is complete, for the caller to keep: position to limit of an array
     * that may be larger. A caller that has read it may {@linkplain SpareArrays#give give} the array to the spares.
     */
    public @Nullable ByteBuffer add(ByteBuffer source, int offset, int pieceLength, Records.Piece piece) {
        if (piece.at() == 0) {
            abandon();
            total = piece.total();
            message = piece.message();
        }
        boolean isNext = message == piece.message() && total == piece.total() && length == piece.at();
        if (!isNext || total > MESSAGE_BYTES_MAX) {
            abandon();
            return null;
        }
        int needed = length + pieceLength;
        if (needed > bytes.length) {
            grow(needed);
        }
        source.get(offset, bytes, length, pieceLength);
        length = needed;
        if (length < total) {
            return null;
        }
        ByteBuffer whole = ByteBuffer.wrap(bytes, 0, length);
        bytes = NONE;
        length = 0;
        total = -1;
        return whole;
    }

    /**
     * Returns the next size. The last step begins at a quarter: source and target of the copy exist at the same time,
     * and together take a quarter more than the message.
     */
    private long grown(int needed) {
        long most = needed * GROWTH;
        return most < total ? Math.min(most, Math.max(needed, (total + GROWTH - 1) / GROWTH)) : total;
    }

    private void grow(int needed) {
        byte[] spare = spares.take(total);
        byte[] larger = spare == null ? new byte[(int) grown(needed)] : spare;
        System.arraycopy(bytes, 0, larger, 0, length);
        giveUp();
        bytes = larger;
    }

    /** Forgets the pieces of a message that have arrived. */
    public void abandon() {
        if (total >= 0) {
            abandoned++;
        }
        giveUp();
        length = 0;
        total = -1;
    }

    private void giveUp() {
        if (bytes.length > 0) {
            spares.give(bytes);
            bytes = NONE;
        }
    }

    /** Returns whether a message has arrived in part. */
    boolean isBegun() {
        return total >= 0;
    }

    /** Returns the length of the message that {@link #isBegun}; 0 if there is none. */
    long total() {
        return Math.max(0, total);
    }

    /** Returns the memory of the pieces that have arrived, which may be larger than these. */
    long memoryBytes() {
        return bytes.length;
    }

    /** Returns the number of messages that were begun and not completed. */
    public long abandoned() {
        return abandoned;
    }
}
