package dev.tutti.protocols.packing;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Puts a large message together from its pieces, one sender's stream at a time.
 *
 * <p>New memory grows with what has arrived, four times as much at most, never with what a length promises; what is spare is
 * taken at once. A piece that does not follow the one before ends the message, as a sender that starts it again after a
 * view change wants, or one that crashed.
 */
public final class Reassembly {

    /** Longest message. */
    public static final long MESSAGE_BYTES_MAX = 1L << 30;

    /** Of what has arrived: with two, a megabyte was copied once more in all, and two were allocated for it. */
    private static final long GROWTH = 4;

    private static final byte[] NONE = new byte[0];

    private final SpareArrays spares;
    private byte[] bytes = NONE;
    private int length;
    private long total = -1;
    private int message;
    private long abandoned;

    /** In memory of its own, which is as long as the message. */
    public Reassembly() {
        this(new SpareArrays(0));
    }

    /** @param spares where memory comes from while there is some, and goes to unless it holds a message */
    public Reassembly(SpareArrays spares) {
        this.spares = spares;
    }

    /**
     * Takes a piece; gives the message when it is complete, to keep: what is between position and limit of memory that may be
     * larger. Who has read it may {@linkplain SpareArrays#give give} the array to the spares.
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
     * The last step begins at a quarter: what is copied and what it is copied to are there at once, and together they take a
     * quarter more than the message.
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

    /** Forgets what has arrived of a message. */
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

    /** Whether some of a message has arrived, and not all. */
    boolean isBegun() {
        return total >= 0;
    }

    /** Length of the message that {@link #isBegun}; 0 if there is none. */
    long total() {
        return Math.max(0, total);
    }

    /** Memory of what has arrived; it may be larger than that. */
    long memoryBytes() {
        return bytes.length;
    }

    /** How many messages were begun and not completed. */
    public long abandoned() {
        return abandoned;
    }
}
