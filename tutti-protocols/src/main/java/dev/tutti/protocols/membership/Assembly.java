package dev.tutti.protocols.membership;

import dev.tutti.core.Block;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A control message that comes in pieces, because it does not fit into a frame. A session is FIFO, so that a piece needs
 * to say nothing but whether it is the last. What is kept grows with what has arrived, up to {@link #BYTES_MAX}.
 */
final class Assembly {

    /** Largest control message. */
    static final int BYTES_MAX = 4 * 1024 * 1024;

    /** Bytes of a message in one piece. */
    static final int PIECE_BYTES = Packet.PAYLOAD_MAX - 2;

    private byte[] bytes = {};
    private int length;

    /** Returns false if the message would be too long. */
    boolean add(Packet piece) {
        int more = piece.length();
        if (length + more > BYTES_MAX) {
            return false;
        }
        if (bytes.length < length + more) {
            bytes = Arrays.copyOf(bytes, Math.min(BYTES_MAX, length + more + length / 2));
        }
        piece.bytes().get(piece.offset(), bytes, length, more);
        length += more;
        return true;
    }

    /** The whole message, for the receiver to read. */
    Packet message() {
        return Packet.of(new Block(ByteBuffer.wrap(bytes), Memory.onHeap()), 0, length);
    }

    /** The next piece of a message, from {@code offset} on; null after the last. */
    static @Nullable Packet piece(Packet message, int kind, int offset, Memory memory) {
        int rest = message.length() - offset;
        if (rest <= 0) {
            return null;
        }
        int pieceBytes = Math.min(rest, PIECE_BYTES);
        return Packet.create(memory, 2 + pieceBytes)
                .appendByte(kind)
                .appendBoolean(pieceBytes == rest)
                .append(message.bytes(), message.offset() + offset, pieceBytes);
    }
}
