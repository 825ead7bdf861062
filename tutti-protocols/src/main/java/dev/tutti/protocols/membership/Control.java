package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.LayerProvider;
import dev.tutti.core.stack.Outbox;
import dev.tutti.protocols.membership.primary.PrimaryChain;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Writes and sends control messages: built once for all receivers, in pieces if one frame is too small. */
final class Control {

    private Control() {}

    /** Largest identity of a member in bytes: numbers, and two texts of characters of three bytes. */
    private static final int MEMBER_BYTES_MAX = 20 + 2 * 3 * NodeId.TEXT_MAX;

    /** Headroom for lower layers. It is small because thousands of messages may be kept until they are acknowledged. */
    private static final int HEADROOM = 16 + LayerProvider.HEADER_BYTES_MAX;

    static Packet prepare(ViewId ballot, ViewId view) {
        Packet prepare = message(MembershipMessage.PREPARE, 64 + 2 * MEMBER_BYTES_MAX);
        Wire.append(prepare, ballot);
        Wire.append(prepare, view);
        return prepare;
    }

    /** @param isWhole whether the proposer needs the record, or knows it by its id */
    static Packet ack(ViewId ballot, Ballot.Answer answer, boolean isWhole) {
        View view = answer.view();
        PrimaryChain.Vote vote = answer.vote();
        long viewBytesMax = isWhole ? Wire.bytesMax(view) + bytesMax(view.primary()) : 0;
        long voteBytesMax = vote == null ? 0 : PrimaryChain.bytesMax(vote);
        Packet ack = message(
                MembershipMessage.ACK,
                64 + 2 * MEMBER_BYTES_MAX + viewBytesMax + Wire.bytesMax(answer.received()) + voteBytesMax);
        Wire.append(ack, ballot);
        ack.appendBoolean(isWhole);
        if (isWhole) {
            Wire.append(ack, view);
            if (vote != null) {
                ack.appendBoolean(view.isPrimary());
                append(ack, view.primary());
            }
        } else {
            Wire.append(ack, view.id());
        }
        Wire.append(ack, answer.received());
        if (vote != null) {
            PrimaryChain.append(ack, vote);
        }
        return ack;
    }

    private static long bytesMax(View.@Nullable Primary primary) {
        return primary == null ? 0 : Wire.bytesMax(primary);
    }

    private static void append(Packet packet, View.@Nullable Primary primary) {
        if (primary != null) {
            Wire.append(packet, primary);
        }
    }

    static Packet nack(ViewId ballot, ViewId promised, long viewNumber, Member follows) {
        Packet nack = message(MembershipMessage.NACK, 64 + 3 * MEMBER_BYTES_MAX);
        Wire.append(nack, ballot);
        Wire.append(nack, promised);
        nack.appendLong(viewNumber);
        Wire.append(nack, follows);
        return nack;
    }

    /** @param since by rank in the record, the view since which a member has been with others */
    static Packet cut(ViewId ballot, View record, long[] since, TreeMap<Member, Member> holders) {
        return cut(MembershipMessage.CUT, ballot, record, since, holders);
    }

    /** @param isInstallable whether the receivers have to come to the view; else they only have a say */
    static Packet propose(
            ViewId ballot, View record, long[] since, TreeMap<Member, Member> holders, boolean isInstallable) {
        return cut(MembershipMessage.PROPOSE, ballot, record, since, holders).appendBoolean(isInstallable);
    }

    private static Packet cut(int kind, ViewId ballot, View record, long[] since, TreeMap<Member, Member> holders) {
        long bytesMax = 64 + bytesMax(record.primary()) + 8L * since.length + MEMBER_BYTES_MAX + Wire.bytesMax(record) + Advert.bytesMax(holders.keySet())
                + Advert.bytesMax(holders.values());
        Packet cut = message(kind, bytesMax);
        Wire.append(cut, ballot);
        Wire.append(cut, record);
        append(cut, record.primary());
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

    /** @param version version of the packets in the view */
    static Packet followed(ViewId view, int version) {
        if (version >= MembershipMessage.TAG_STABLE_VERSION) {
            Packet tag = Packet.create(Memory.onHeap(), 1 + Wire.TAG_BYTES);
            Wire.prependTag(tag, view);
            return tag.prependByte(MembershipMessage.TAG_STABLE);
        }
        Packet followed = message(MembershipMessage.VIEW_STABLE, 64 + MEMBER_BYTES_MAX);
        Wire.append(followed, view);
        return followed;
    }

    /** Creates a message that contains only the id of a ballot. */
    static Packet note(int kind, ViewId ballot) {
        Packet note = message(kind, 64 + MEMBER_BYTES_MAX);
        Wire.append(note, ballot);
        return note;
    }

    static Packet learn(ViewId ballot, PrimaryChain.Primary decided) {
        Packet learn = message(MembershipMessage.LEARN, 64 + MEMBER_BYTES_MAX + PrimaryChain.bytesMax(decided));
        Wire.append(learn, ballot);
        PrimaryChain.append(learn, decided);
        return learn;
    }

    /** @param asked all members that have answered, and have to wait */
    static Packet wait(ViewId ballot, List<Member> asked, String reason) {
        long bytesMax = 64 + MEMBER_BYTES_MAX + Advert.bytesMax(asked) + 3L * reason.length();
        Packet wait = message(MembershipMessage.WAIT, bytesMax);
        Wire.append(wait, ballot);
        Wire.append(wait, asked);
        return wait.appendText(reason);
    }

    /** Creates a message to append at most {@code bytesMax} to. */
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
     * Sends a message. All receivers share its memory, since a view of thousands, copied for each of them, would be too
     * much to keep until it is acknowledged. The headers of lower layers are the same on every link.
     */
    static void send(Packet message, Collection<Member> receivers, Outbox out) {
        if (message.length() <= Packet.PAYLOAD_MAX) {
            Packet copy = Packet.of(out.memory().acquire(HEADROOM + message.length()), HEADROOM, 0);
            share(copy.append(message), receivers, out);
            return;
        }
        int offset = 0;
        Packet piece = Assembly.piece(message, MembershipMessage.PIECE, offset, out.memory());
        while (piece != null) {
            share(piece, receivers, out);
            offset += Assembly.PIECE_BYTES;
            piece = Assembly.piece(message, MembershipMessage.PIECE, offset, out.memory());
        }
    }

    private static void share(Packet packet, Collection<Member> receivers, Outbox out) {
        for (Member receiver : receivers) {
            out.send(packet.slice().withPeer(receiver));
        }
        packet.release();
    }
}
