package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Signal;

/**
 * Acknowledgements between this member and the others. This member sends one at the end of a turn if a sender would
 * otherwise wait, else after a delay.
 */
final class Acknowledgements {

    /** Highest limit that a receiver may grant, so that byte counts stay within their range. */
    private static final long LIMIT_BYTES_MAX = 1L << 62;

    private final PeerStreams streams;
    private final SentMulticasts multicasts;
    private final Receipts receipts;
    private final long delayNanos;

    /** There may be something to acknowledge. Finding out takes a pass over all members. */
    private boolean isNews;

    private long sent;

    /** @param delayNanos delay of acknowledgements that are not urgent */
    Acknowledgements(PeerStreams streams, SentMulticasts multicasts, Receipts receipts, long delayNanos) {
        this.streams = streams;
        this.multicasts = multicasts;
        this.receipts = receipts;
        this.delayNanos = delayNanos;
    }

    /** Notes that a packet has arrived or was consumed. */
    void onNews() {
        isNews = true;
    }

    /** Returns whether {@link #sendUrgent} may have something to do. */
    boolean isNews() {
        return isNews;
    }

    /**
     * Sends the urgent acknowledgements of a turn.
     *
     * @param ackBytes received bytes of one sender that make its acknowledgement urgent
     */
    void sendUrgent(long ackBytes, Outbox out) {
        isNews = false;
        boolean isRest = false;
        for (PeerStream pair : streams.all()) {
            if (pair.isUrgent() || pair.unacknowledgedBytes >= ackBytes) {
                send(pair, out);
            } else {
                isRest |= pair.hasNews();
            }
        }
        if (isRest && !out.isArmed(ReliabilityTimer.ACK)) {
            out.arm(ReliabilityTimer.ACK, delayNanos);
        }
    }

    void onTimer(Outbox out) {
        for (PeerStream pair : streams.all()) {
            if (pair.hasNews()) {
                send(pair, out);
            }
        }
    }

    private void send(PeerStream pair, Outbox out) {
        sent++;
        pair.onAnnounced();
        Packet ack = Packet.create(out.memory(), 0)
                .prependLong(pair.unicastIn.limitBytes())
                .prependLong(pair.unicastIn.received())
                .prependLong(pair.sinceView())
                .prependLong(pair.multicastIn.limitBytes())
                .prependLong(pair.multicastIn.received());
        Wire.prependTag(ack, streams.view().id());
        out.send(ack.prependByte(PacketKind.ACK).withPeer(pair.member()));
    }

    /** Takes the request of a member to acknowledge its packets at once. */
    void onAsk(Member from, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, streams.view().id());
        long number = packet.takeLong();
        PeerStream pair = streams.find(from);
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (!isCurrent || pair == null) {
            out.drop(packet, DropReason.OLD_VIEW);
        } else {
            pair.asked = Math.max(pair.asked, number);
            pair.mustAcknowledge |= pair.hasNews();
            isNews = true;
            packet.release();
        }
    }

    /** Takes an acknowledgement of another member; returns whether it counts. */
    boolean onAck(Member from, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, streams.view().id());
        long received = packet.takeLong();
        long limitBytes = packet.takeLong();
        long sinceView = packet.takeLong();
        long unicastReceived = packet.takeLong();
        long unicastLimitBytes = packet.takeLong();
        PeerStream pair = streams.find(from);
        if (packet.isMalformed() || (isCurrent && received > multicasts.number())) {
            out.drop(packet, DropReason.MALFORMED);
            return false;
        }
        if (pair == null || !isCurrent || sinceView != pair.sinceView()) {
            out.drop(packet, DropReason.OLD_VIEW);
            return false;
        }
        if (unicastReceived >= pair.unicastOut.next()) {
            out.drop(packet, DropReason.MALFORMED);
            return false;
        }
        if (limitBytes > LIMIT_BYTES_MAX || unicastLimitBytes > LIMIT_BYTES_MAX) {
            out.drop(packet, DropReason.IMPLAUSIBLE);
            return false;
        }
        packet.release();
        // Absolute and growing: an acknowledgement that comes late or again changes nothing.
        pair.acknowledged = Math.max(pair.acknowledged, received);
        pair.multicastLimitBytes = Math.max(pair.multicastLimitBytes, limitBytes);
        pair.unicastOut.freeUpTo(unicastReceived);
        if (pair.hasTickets()) {
            receipts.onUnicastAcknowledged(pair, unicastReceived, out);
        }
        if (unicastLimitBytes > pair.unicastLimitBytes) {
            pair.unicastLimitBytes = unicastLimitBytes;
            out.raise(new Signal.Flow.Window(from, unicastLimitBytes, null));
        }
        return true;
    }

    /** Returns the number of acknowledgements sent. */
    long sent() {
        return sent;
    }
}
