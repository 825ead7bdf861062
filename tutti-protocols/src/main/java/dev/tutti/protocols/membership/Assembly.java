package dev.tutti.protocols.membership;

import dev.tutti.core.Block;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Control message that arrives in pieces because it does not fit into a frame. A session is FIFO, so a piece only needs
 * to say whether it is the last. Memory grows with the bytes that have arrived, up to {@link #BYTES_MAX}.
 */
final class Assembly {

    /** Largest control message. */
    static final int BYTES_MAX = 4 * 1024 * 1024;

    /** Bytes of a message in one piece. */
    static final int PIECE_BYTES = Packet.PAYLOAD_MAX - 2;

    private static final int CHUNK_BYTES = 32 * 1024;

    /** Chunks as they arrive. A message of n bytes takes at most 2 n: the chunks, and the whole. */
    private final List<byte[]> chunks = new ArrayList<>();

    private int length;

    /** Adds a piece. Returns false if the message would be too long. */
    boolean add(Packet piece) {
        int more = piece.length();
        if (length + more > BYTES_MAX) {
            return false;
        }
        int taken = 0;
        while (taken < more) {
            int at = (length + taken) % CHUNK_BYTES;
            if (at == 0) {
                chunks.add(new byte[CHUNK_BYTES]);
            }
            int part = Math.min(more - taken, CHUNK_BYTES - at);
            piece.bytes().get(piece.offset() + taken, chunks.getLast(), at, part);
            taken += part;
        }
        length += more;
        return true;
    }

    int length() {
        return length;
    }

    /** Returns the whole message, for the receiver to read. */
    Packet message() {
        byte[] bytes = new byte[length];
        for (int index = 0; index < chunks.size(); index++) {
            int start = index * CHUNK_BYTES;
            System.arraycopy(chunks.get(index), 0, bytes, start, Math.min(CHUNK_BYTES, length - start));
        }
        return Packet.of(new Block(ByteBuffer.wrap(bytes), Memory.onHeap()), 0, length);
    }

    /** Returns the next piece of a message, from {@code offset} on; null after the last. */
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
