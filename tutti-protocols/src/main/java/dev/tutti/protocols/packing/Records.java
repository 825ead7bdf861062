package dev.tutti.protocols.packing;

import dev.tutti.core.Packet;
import java.nio.ByteBuffer;

/**
 * The layout of a data packet's payload: many whole messages, or a piece of one that is larger than a packet.
 *
 * <pre>
 * u8 0, then per message: u32 length, bytes
 * u8 1, u64 length of the message, u64 offset of this piece in it, bytes
 * </pre>
 */
public final class Records {

    private Records() {}

    static final int WHOLE = 0;
    static final int PIECE = 1;
    static final int WHOLE_HEADER_BYTES = 1;
    static final int LENGTH_BYTES = 4;
    static final int PIECE_HEADER_BYTES = 1 + 8 + 8;

    /** Largest message that is packed whole. */
    public static final int WHOLE_MAX = Packet.PAYLOAD_MAX - WHOLE_HEADER_BYTES - LENGTH_BYTES;

    /** Bytes of a message in a piece. */
    static final int PIECE_MAX = Packet.PAYLOAD_MAX - PIECE_HEADER_BYTES;

    /** Takes what a {@link Reader} finds. */
    public interface Visitor {

        /** A whole message: a range of {@code bytes}, valid during the call. */
        void onMessage(ByteBuffer bytes, int offset, int length);

        /** A piece of a message of {@code total} bytes, which starts at {@code at} in it. */
        void onPiece(ByteBuffer bytes, int offset, int length, long total, long at);
    }

    /**
     * Reads a payload, which stays as it is.
     *
     * @return false if it can't be decoded; what came before the fault was visited
     */
    public static boolean read(Packet packet, Visitor visitor) {
        ByteBuffer bytes = packet.bytes();
        int offset = packet.offset();
        int end = offset + packet.length();
        if (offset == end) {
            return false;
        }
        int kind = bytes.get(offset);
        if (kind == PIECE) {
            if (end - offset < PIECE_HEADER_BYTES) {
                return false;
            }
            long total = bytes.getLong(offset + 1);
            long at = bytes.getLong(offset + 9);
            int length = end - offset - PIECE_HEADER_BYTES;
            if (at < 0 || total < at || length > total - at) {
                return false;
            }
            visitor.onPiece(bytes, offset + PIECE_HEADER_BYTES, length, total, at);
            return true;
        }
        if (kind != WHOLE) {
            return false;
        }
        offset += WHOLE_HEADER_BYTES;
        while (offset < end) {
            if (end - offset < LENGTH_BYTES) {
                return false;
            }
            int length = bytes.getInt(offset);
            offset += LENGTH_BYTES;
            if (length < 0 || length > end - offset) {
                return false;
            }
            visitor.onMessage(bytes, offset, length);
            offset += length;
        }
        return true;
    }
}
