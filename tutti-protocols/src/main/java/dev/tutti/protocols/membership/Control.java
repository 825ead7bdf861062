package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.Outbox;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/** Writes and sends control messages: built once for all receivers, in pieces if one frame is too small. */
final class Control {

    private Control() {}

    /** Bytes of a member's identity at most: numbers, and two texts of characters of three bytes. */
    private static final int MEMBER_BYTES_MAX = 20 + 2 * 3 * NodeId.TEXT_MAX;

    /** For what is put before a message below this layer; some are kept by the thousand until they are acknowledged. */
    private static final int HEADROOM = 32;

    static Packet prepare(ViewId ballot, ViewId view) {
        Packet prepare = message(Membership.PREPARE, 64 + 2 * MEMBER_BYTES_MAX);
        Wire.append(prepare, ballot);
        Wire.append(prepare, view);
        return prepare;
    }

    /** @param isWhole whether the proposer needs the record, or knows it by its id */
    static Packet ack(ViewId ballot, View view, boolean isWhole, TreeMap<Member, Long> received) {
        long viewBytesMax = isWhole ? Wire.bytesMax(view) : 0;
        Packet ack = message(Membership.ACK, 64 + 2 * MEMBER_BYTES_MAX + viewBytesMax + Wire.bytesMax(received));
        Wire.append(ack, ballot);
        ack.appendBoolean(isWhole);
        if (isWhole) {
            Wire.append(ack, view);
        } else {
            Wire.append(ack, view.id());
        }
        Wire.append(ack, received);
        return ack;
    }

    static Packet nack(ViewId ballot, ViewId promised, long viewNumber, Member follows) {
        Packet nack = message(Membership.NACK, 64 + 3 * MEMBER_BYTES_MAX);
        Wire.append(nack, ballot);
        Wire.append(nack, promised);
        nack.appendLong(viewNumber);
        Wire.append(nack, follows);
        return nack;
    }

    /** @param since by rank in the record, since which view a member has been with others */
    static Packet cut(ViewId ballot, View record, long[] since, TreeMap<Member, Member> holders) {
        long bytesMax = 64 + 8L * since.length + MEMBER_BYTES_MAX + Wire.bytesMax(record) + Advert.bytesMax(holders.keySet())
                + Advert.bytesMax(holders.values());
        Packet cut = message(Membership.CUT, bytesMax);
        Wire.append(cut, ballot);
        Wire.append(cut, record);
        for (long number : since) {
            cut.appendLong(number);
        }
        cut.appendInt(holders.size());
        holders.forEach((sender, holder) -> {
            Wire.append(cut, sender);
            Wire.append(cut, holder);
        });
        return cut;
    }

    static Packet followed(ViewId view) {
        Packet followed = message(Membership.FOLLOWED, 64 + MEMBER_BYTES_MAX);
        Wire.append(followed, view);
        return followed;
    }

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

    /**
     * All get the same memory: a view of thousands, once for each of them, would be too much to keep until it is
     * acknowledged. What is put before a message below this layer is the same on every link.
     */
    static void send(Packet message, Collection<Member> receivers, Outbox out) {
        if (message.length() <= Packet.PAYLOAD_MAX) {
            Packet copy = Packet.of(out.memory().acquire(HEADROOM + message.length()), HEADROOM, 0);
            share(copy.append(message), receivers, out);
            return;
        }
        int offset = 0;
        Packet piece = Assembly.piece(message, Membership.PIECE, offset, out.memory());
        while (piece != null) {
            share(piece, receivers, out);
            offset += Assembly.PIECE_BYTES;
            piece = Assembly.piece(message, Membership.PIECE, offset, out.memory());
        }
    }

    private static void share(Packet packet, Collection<Member> receivers, Outbox out) {
        for (Member receiver : receivers) {
            out.send(packet.slice().withPeer(receiver));
        }
        packet.release();
    }
}
