package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Signal;

/**
 * Unicasts between this member and each of the others, and to itself. They are numbered from the view in which the two
 * came together, and repeated after a session was lost.
 */
final class Unicasts {

    private final PeerStreams streams;
    private final Receipts receipts;
    private final ReceiveWindow toSelf;
    private long sent;
    private long received;

    Unicasts(PeerStreams streams, Receipts receipts, long windowBytes) {
        this.streams = streams;
        this.receipts = receipts;
        this.toSelf = new ReceiveWindow(true, windowBytes);
    }

    void send(Member receiver, Packet packet, Outbox out) {
        sent++;
        long ticket = packet.ticket();
        if (receiver.equals(streams.self())) {
            toSelf.onArrived(Charge.of(packet));
            out.deliver(packet.withReceipt(toSelf));
            if (ticket != 0) {
                receipts.onUnicastToSelf(ticket, out);
            }
            return;
        }
        PeerStream pair = streams.find(receiver);
        if (pair == null) {
            if (ticket != 0) {
                receipts.onUnsent(receiver, ticket, out);
            }
            out.drop(packet, DropReason.NO_SESSION);
            return;
        }
        pair.unicastSentBytes += Charge.of(packet);
        long number = pair.unicastOut.next();
        if (ticket != 0) {
            receipts.onUnicast(pair, ticket, number, out);
        }
        pair.unicastOut.append(packet.slice());
        send(pair, number, packet, out);
    }

    private static void send(PeerStream pair, long number, Packet packet, Outbox out) {
        packet.prependLong(number).prependLong(pair.sinceView()).prependByte(PacketKind.UNICAST);
        out.send(packet.withPeer(pair.member()));
    }

    /** Takes a unicast of another member; returns whether it was accepted. */
    boolean onReceive(Member from, Packet packet, Outbox out) {
        long sinceView = packet.takeLong();
        long number = packet.takeLong();
        PeerStream pair = streams.find(from);
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (pair == null) {
            out.drop(packet, DropReason.FOREIGN_SENDER);
        } else if (sinceView != pair.sinceView()) {
            out.drop(packet, DropReason.OLD_VIEW);
        } else if (number != pair.unicastIn.received() + 1) {
            out.drop(packet, number <= pair.unicastIn.received() ? DropReason.DUPLICATE : DropReason.GAP);
        } else {
            received++;
            pair.unicastIn.onArrived(Charge.of(packet));
            out.deliver(packet.withReceipt(pair.unicastIn));
            return true;
        }
        return false;
    }

    /** Repeats unicasts that the previous session may have lost. */
    void repeat(PeerStream pair, Outbox out) {
        for (long number = pair.unicastOut.first(); number < pair.unicastOut.next(); number++) {
            Packet unacknowledged = pair.unicastOut.get(number);
            if (unacknowledged != null) {
                send(pair, number, unacknowledged.copy(out.memory()), out);
            }
        }
    }

    /** Returns whether this is the window of unicasts to this member itself. */
    boolean isToSelf(ReceiveWindow window) {
        return window == toSelf;
    }

    /** Announces the window for unicasts to this member itself, however little it grows: nothing else would do it. */
    void announceToSelf(Outbox out) {
        if (toSelf.isNews()) {
            toSelf.onAnnounced();
            out.raise(new Signal.Flow.Window(streams.self(), toSelf.limitBytes(), null));
        }
    }

    /** Returns the number of unicasts sent, those to this member itself included. */
    long sent() {
        return sent;
    }

    /** Returns the number of unicasts accepted from other members. */
    long received() {
        return received;
    }
}
