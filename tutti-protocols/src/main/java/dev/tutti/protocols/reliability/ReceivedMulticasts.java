package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import org.jspecify.annotations.Nullable;

/**
 * Multicasts of the other members: each sender's are accepted in the order of their numbers, and a copy of each is kept
 * until all members have it, for those that may miss it if the sender crashes.
 */
final class ReceivedMulticasts {

    private final PeerStreams streams;
    private final Acknowledgements acknowledgements;
    private final @Nullable LostMulticasts lost;
    private final @Nullable Ring ring;
    private long count;

    /**
     * @param lost null where sessions carry multicasts
     * @param ring null where each multicast goes to all at once
     */
    ReceivedMulticasts(
            PeerStreams streams, Acknowledgements acknowledgements, @Nullable LostMulticasts lost, @Nullable Ring ring) {
        this.streams = streams;
        this.acknowledgements = acknowledgements;
        this.lost = lost;
        this.ring = ring;
    }

    /**
     * Takes a multicast of the kind MULTICAST or RELAYED.
     *
     * @param isFrozen true if this member has reported what it has of the view, so that only repairs count
     */
    void onReceive(int kind, Member from, boolean isFrozen, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, streams.view().id());
        int origin = kind == PacketKind.RELAYED ? packet.takeInt() : -1;
        int end = kind == PacketKind.RELAYED ? packet.takeInt() : -1;
        long number = packet.takeLong();
        long stableAtSender = packet.takeLong();
        PeerStream pair = kind == PacketKind.RELAYED ? streams.ofRank(origin) : streams.find(from);
        if (kind == PacketKind.RELAYED && ring == null) {
            packet.markMalformed();
        }
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (!isCurrent) {
            out.drop(packet, DropReason.OLD_VIEW);
        } else if (pair == null) {
            out.drop(packet, DropReason.FOREIGN_SENDER);
        } else if (ring != null && kind == PacketKind.RELAYED && !ring.mayPass(from, pair.member())) {
            out.drop(packet, DropReason.FORGED);
        } else if (isFrozen) {
            out.drop(packet, DropReason.FROZEN);
        } else if (number != pair.multicastIn.received() + 1) {
            if (lost != null && number > pair.multicastIn.received()) {
                lost.onOvertaking(pair, number, packet, out);
            } else if (ring != null && number > pair.multicastIn.received()) {
                ring.onOvertaking(pair, from, origin, end, number, stableAtSender, packet, out);
            } else {
                out.drop(packet, number <= pair.multicastIn.received() ? DropReason.DUPLICATE : DropReason.GAP);
            }
        } else {
            if (ring != null && kind == PacketKind.RELAYED) {
                ring.pass(origin, end, number, stableAtSender, packet, out);
            }
            accept(pair, packet, out);
            acceptAhead(pair, out);
            pair.copies.freeUpTo(Math.min(stableAtSender, number));
        }
    }

    /** Accepts the packets that follow one that was just accepted, and arrived before it. */
    private void acceptAhead(PeerStream pair, Outbox out) {
        Packet next = pair.takeAhead();
        while (next != null) {
            if (ring != null) {
                ring.passAhead(pair, next, out);
            }
            accept(pair, next, out);
            next = pair.takeAhead();
        }
    }

    /** Accepts and delivers the next multicast of a sender, however it has come. */
    void accept(PeerStream pair, Packet packet, Outbox out) {
        count++;
        long chargedBytes = Charge.of(packet);
        pair.multicastIn.onArrived(chargedBytes);
        pair.unacknowledgedBytes += chargedBytes;
        pair.multicastNanos = out.nowNanos();
        acknowledgements.onNews();
        if (streams.all().length > 1) {
            // In a view of only the sender and this member, no other one could ask for it.
            pair.copies.append(packet.slice());
        }
        out.deliver(packet.withPeer(pair.member()).withReceipt(pair.multicastIn));
    }

    /** Takes the number up to which a sender knows that all members have its multicasts. */
    void onStable(Member from, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, streams.view().id());
        long number = packet.takeLong();
        PeerStream pair = streams.find(from);
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (!isCurrent || pair == null) {
            out.drop(packet, DropReason.OLD_VIEW);
        } else {
            pair.copies.freeUpTo(Math.min(number, pair.multicastIn.received()));
            packet.release();
        }
    }

    /** Returns the number of multicasts accepted. */
    long count() {
        return count;
    }
}
