package dev.tutti.protocols.packing;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Puts a large message together from its pieces, one sender's stream at a time.
 *
 * <p>Memory grows with what has arrived, four times as much at most, never with what a length promises. A piece that
 * does not follow the one before ends the message, as a sender that starts it again after a view change wants, or one that
 * crashed.
 */
public final class Reassembly {

    /** Longest message. */
    public static final long MESSAGE_BYTES_MAX = 1L << 30;

    /** Of what has arrived: with two, a megabyte was copied once more in all, and two were allocated for it. */
    private static final long GROWTH = 4;

    private byte[] bytes = new byte[0];
    private int length;
    private long total = -1;
    private int message;
    private long abandoned;

    /** Takes a piece; gives the message when it is complete, to keep. */
    public byte @Nullable [] add(ByteBuffer source, int offset, int pieceLength, Records.Piece piece) {
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
            bytes = Arrays.copyOf(bytes, (int) Math.min(total, needed * GROWTH));
        }
        source.get(offset, bytes, length, pieceLength);
        length = needed;
        if (length < total) {
            return null;
        }
        byte[] whole = bytes.length == length ? bytes : Arrays.copyOf(bytes, length);
        bytes = new byte[0];
        length = 0;
        total = -1;
        return whole;
    }

    /** Forgets what has arrived of a message. */
    public void abandon() {
        if (total >= 0) {
            abandoned++;
        }
        bytes = new byte[0];
        length = 0;
        total = -1;
    }

    /** How many messages were begun and not completed. */
    public long abandoned() {
        return abandoned;
    }
}
