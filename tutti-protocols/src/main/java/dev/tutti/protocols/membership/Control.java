package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.Outbox;
import java.util.List;

/** Writes and sends control messages: built once, copied for each receiver, in pieces if one frame is too small. */
final class Control {

    private Control() {}

    /** A message to append to, which must not take more than {@code bytesMax}. */
    static Packet message(int kind, long bytesMax) {
        if (bytesMax > Integer.MAX_VALUE / 2) {
            throw new IllegalStateException("a control message of up to " + bytesMax + " bytes");
        }
        return Packet.create(Memory.onHeap(), (int) bytesMax + 1).appendByte(kind);
    }

    static void send(Packet message, Member receiver, Outbox out) {
        send(message, List.of(receiver), out);
    }

    static void send(Packet message, Iterable<Member> receivers, Outbox out) {
        for (Member receiver : receivers) {
            if (message.length() <= Packet.PAYLOAD_MAX) {
                out.send(message.copy(out.memory()).withPeer(receiver));
            } else {
                sendPieces(message, receiver, out);
            }
        }
    }

    private static void sendPieces(Packet message, Member receiver, Outbox out) {
        int offset = 0;
        Packet piece = Assembly.piece(message, Membership.PIECE, offset, out.memory());
        while (piece != null) {
            out.send(piece.withPeer(receiver));
            offset += Assembly.PIECE_BYTES;
            piece = Assembly.piece(message, Membership.PIECE, offset, out.memory());
        }
    }
}
