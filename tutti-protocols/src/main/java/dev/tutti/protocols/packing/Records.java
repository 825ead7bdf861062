package dev.tutti.protocols.packing;

import dev.tutti.core.Packet;
import java.nio.ByteBuffer;

/**
 * Layout of a data packet's payload: many whole messages, or a piece of one that is larger than a packet.
 *
 * <pre>
 * u8 0, then per message: u32 length, bytes
 * u8 1, u32 which large message of its sender, u64 its length, u64 offset of this piece in it, bytes
 * u8 2, then per message: u32 length, u32 scope, bytes
 * u8 3, u32 which large message of its sender, u64 its length, u64 offset of this piece in it, u32 scope, bytes
 * u8 4, then per message: u32 length, bytes, out of band
 * u8 5, control data about the application's state, which is no message
 * u8 6, control data about turns, which the layer itself reads ({@link Turns})
 * u8 16 + 0 to 4, the same as 0 to 4, of messages that their sender does not deliver
 * </pre>
 */
public final class Records {

    private Records() {}

    static final int WHOLE = 0;
    static final int PIECE = 1;
    static final int SCOPED = 2;
    static final int SCOPED_PIECE = 3;
    static final int OUT_OF_BAND = 4;
    static final int STATE = 5;
    static final int TURN = 6;

    /** Bit of the kinds of messages that their sender does not deliver. */
    static final int FOR_OTHERS = 16;

    static final int SCOPE_BYTES = 4;
    static final int WHOLE_HEADER_BYTES = 1;
    static final int LENGTH_BYTES = 4;
    static final int PIECE_HEADER_BYTES = 1 + 4 + 8 + 8;

    /** Largest message that fits into a packet. */
    public static final int WHOLE_MAX = Packet.PAYLOAD_MAX - WHOLE_HEADER_BYTES - LENGTH_BYTES;

    /** Longest content of a payload about the application's state. */
    public static final int STATE_MAX = Packet.PAYLOAD_MAX - WHOLE_HEADER_BYTES;

    /**
     * Position of a piece.
     *
     * @param message number among its sender's large messages. It distinguishes those of the same length, where some of
     *     their pieces may be lost
     * @param total bytes of the message
     * @param at offset of the piece in it
     */
    public record Piece(int message, long total, long at) {}

    /** Receiver of the records that {@link #read} finds. */
    public interface Visitor {

        /** A whole message: a range of {@code bytes}, valid during the call. */
        void onMessage(ByteBuffer bytes, int offset, int length);

        /** A piece of a message that is larger than a packet. */
        void onPiece(ByteBuffer bytes, int offset, int length, Piece piece);

        /** A whole message in a scope. */
        default void onScoped(ByteBuffer bytes, int offset, int length, int scope) {
            onMessage(bytes, offset, length);
        }

        /** A piece of a message in a scope. */
        default void onScopedPiece(ByteBuffer bytes, int offset, int length, Piece piece, int scope) {
            onPiece(bytes, offset, length, piece);
        }
    }

    /** Returns whether the payload consists of messages out of band, which have no order with others. */
    public static boolean isOutOfBand(Packet packet) {
        return !packet.isEmpty() && (packet.bytes().get(packet.offset()) & ~FOR_OTHERS) == OUT_OF_BAND;
    }

    /** Returns whether the payload consists of messages, or a piece of one, that their sender does not deliver. */
    public static boolean isForOthers(Packet packet) {
        return !packet.isEmpty() && (packet.bytes().get(packet.offset()) & FOR_OTHERS) != 0;
    }

    /** Returns whether the payload is about the application's state, which {@link #read} does not decode. */
    public static boolean isState(Packet packet) {
        return !packet.isEmpty() && packet.bytes().get(packet.offset()) == STATE;
    }

    /** Returns whether the payload is about turns, which {@link #read} does not decode. */
    static boolean isTurn(Packet packet) {
        return !packet.isEmpty() && packet.bytes().get(packet.offset()) == TURN;
    }

    /** Returns the content of a payload that {@link #isState}. The caller releases it, and keeps {@code packet}. */
    public static Packet stateContent(Packet packet) {
        Packet content = packet.slice();
        content.takeByte();
        return content;
    }

    /**
     * Reads a payload, which is not changed.
     *
     * @return false if it can't be decoded; the records before the fault were visited
     */
    public static boolean read(Packet packet, Visitor visitor) {
        ByteBuffer bytes = packet.bytes();
        int offset = packet.offset();
        int end = offset + packet.length();
        if (offset == end) {
            return false;
        }
        int kind = bytes.get(offset) & ~FOR_OTHERS;
        return switch (kind) {
            case PIECE, SCOPED_PIECE -> readPiece(bytes, offset, end, kind == SCOPED_PIECE, visitor);
            case WHOLE, SCOPED, OUT_OF_BAND ->
                readMessages(bytes, offset + WHOLE_HEADER_BYTES, end, kind == SCOPED, visitor);
            default -> false;
        };
    }

    private static boolean readPiece(ByteBuffer bytes, int offset, int end, boolean isScoped, Visitor visitor) {
        int headerBytes = PIECE_HEADER_BYTES + (isScoped ? SCOPE_BYTES : 0);
        if (end - offset < headerBytes) {
            return false;
        }
        long total = bytes.getLong(offset + 5);
        long at = bytes.getLong(offset + 13);
        int length = end - offset - headerBytes;
        if (at < 0 || total < at || length > total - at) {
            return false;
        }
        Piece piece = new Piece(bytes.getInt(offset + 1), total, at);
        if (isScoped) {
            int scope = bytes.getInt(offset + PIECE_HEADER_BYTES);
            visitor.onScopedPiece(bytes, offset + headerBytes, length, piece, scope);
        } else {
            visitor.onPiece(bytes, offset + headerBytes, length, piece);
        }
        return true;
    }

    private static boolean readMessages(ByteBuffer bytes, int start, int end, boolean isScoped, Visitor visitor) {
        int headerBytes = LENGTH_BYTES + (isScoped ? SCOPE_BYTES : 0);
        int offset = start;
        while (offset < end) {
            if (end - offset < headerBytes) {
                return false;
            }
            int length = bytes.getInt(offset);
            if (length < 0 || length > end - offset - headerBytes) {
                return false;
            }
            if (isScoped) {
                visitor.onScoped(bytes, offset + headerBytes, length, bytes.getInt(offset + LENGTH_BYTES));
            } else {
                visitor.onMessage(bytes, offset + headerBytes, length);
            }
            offset += headerBytes + length;
        }
        return true;
    }
}
