package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import dev.tutti.protocols.reliability.buffer.PacketRing;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Answers to other members' fetches, from the copies of this view, and from those of the previous view until all have
 * followed (decision D9). {@link Flush} is the other end.
 */
final class Repairs {

    private final PeerStreams streams;
    private final SentMulticasts sent;
    private final Members known = new Members();

    /** Copies of the previous view, by sender. */
    private TreeMap<Member, PacketRing> oldCopies = new TreeMap<>();

    private @Nullable View oldView;

    private long count;

    Repairs(PeerStreams streams, SentMulticasts sent) {
        this.streams = streams;
        this.sent = sent;
    }

    /** Starts a view. The copies of the one that ends, given by {@link #keep}, replace those of its predecessor. */
    void startView(View ended, View next) {
        next.members().forEach(known::add);
        freeOld();
        oldView = ended;
    }

    void keep(Member sender, @Nullable PacketRing copies) {
        if (copies != null) {
            oldCopies.put(sender, copies);
        }
    }

    void freeOld() {
        oldCopies.values().forEach(PacketRing::freeAll);
        oldCopies = new TreeMap<>();
        oldView = null;
    }

    /** Serves members of the requested view; no other member has a right to its packets. */
    void onFetch(Member from, Packet packet, Outbox out) {
        ViewId wanted = Wire.takeViewId(packet, known);
        View view = streams.view();
        View of = wanted.equals(view.id()) ? view : oldView;
        if (of != null && of.id().equals(wanted) && !of.contains(from)) {
            out.drop(packet, DropReason.FORGED);
            return;
        }
        int count = packet.takeCount(Wire.MEMBER_BYTES_MIN + 16);
        // A repeated sender would make a window be copied as often.
        TreeMap<Member, Long> asked = new TreeMap<>();
        for (int index = 0; index < count && !packet.isMalformed(); index++) {
            Member sender = Wire.takeMember(packet, known);
            long first = packet.takeLong();
            if (index >= Flush.SENDERS_MAX || asked.put(sender, first) != null) {
                packet.markMalformed();
            }
            long last = packet.takeLong();
            PacketRing copies = copies(wanted, sender);
            if (packet.isMalformed() || copies == null) {
                continue;
            }
            long end = Math.min(last, copies.next() - 1);
            for (long number = Math.max(first, copies.first()); number <= end; number++) {
                Packet copy = copies.get(number);
                if (copy != null) {
                    repair(from, wanted, sender, number, copy, out);
                }
            }
        }
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
        } else {
            packet.release();
        }
    }

    private @Nullable PacketRing copies(ViewId wanted, Member sender) {
        if (!wanted.equals(streams.view().id())) {
            return oldView != null && wanted.equals(oldView.id()) ? oldCopies.get(sender) : null;
        }
        PeerStream pair = streams.find(sender);
        return sender.equals(streams.self()) ? sent.copies() : pair == null ? null : pair.copies;
    }

    private void repair(Member receiver, ViewId wanted, Member sender, long number, Packet copy, Outbox out) {
        count++;
        // The header has a fixed size within the headroom, so that a full packet still fits into a frame.
        Packet repair = copy.copy(out.memory())
                .prependLong(number)
                .prependInt(sender.join())
                .prependLong(sender.node().incarnation());
        Wire.prependTag(repair, wanted);
        out.send(repair.prependByte(PacketKind.REPAIR).withPeer(receiver));
    }

    /** Returns the number of repairs sent. */
    long count() {
        return count;
    }
}
