package dev.tutti.protocols.reliability;

import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.reliability.buffer.OutOfOrderBuffer;
import dev.tutti.protocols.reliability.buffer.PacketRing;
import org.jspecify.annotations.Nullable;

/**
 * Part of {@link Reliability} for multicasts that are not carried by sessions and may be lost, duplicated or reordered.
 * Missing packets are requested and repeated over the sessions, once ({@code docs/design/reliability.md}).
 */
final class LostMulticasts {

    private final PeerStreams streams;
    private final SentMulticasts sent;
    private final long windowBytes;
    private final MulticastWindow window;

    /** Number of the last packet sent when the timer last fired. */
    private long sentAtTimer;

    private long announcedSent;
    private long sentNanos;
    private long nacksSent;
    private long repeatsSent;
    private long overtakers;

    /**
     * @param windowBytes bytes that one sender may have in flight to one receiver
     * @param bufferBytes receive buffer of a receiver of multicasts
     */
    LostMulticasts(PeerStreams streams, SentMulticasts sent, long windowBytes, int bufferBytes) {
        this.streams = streams;
        this.sent = sent;
        this.windowBytes = windowBytes;
        this.window = new MulticastWindow(bufferBytes);
    }

    void startView() {
        window.startView();
        announcedSent = 0;
        sentAtTimer = 0;
    }

    /** Notes a packet that is sent to all. */
    void onMulticast(Packet packet, Outbox out) {
        packet.markExpendable();
        if (isSilent(out)) {
            window.restart(members());
        }
        sentNanos = out.nowNanos();
        if (!out.isArmed(ReliabilityTimer.SENT)) {
            sentAtTimer = sent.number();
            out.arm(ReliabilityTimer.SENT, SENT_DELAY_NANOS);
        }
    }

    /** Notes a new session. Requests and announcements in the previous one may be lost. */
    void onOpened(PeerStream pair, Outbox out) {
        pair.ahead().forgetAsked();
        pair.repeated = 0;
        askLater(out);
        announcedSent = 0;
        out.arm(ReliabilityTimer.SENT, SENT_DELAY_NANOS);
    }

    /** Requests lost multicasts that are due. */
    void onNackTimer(Outbox out) {
        for (PeerStream pair : streams.all()) {
            if (pair.ahead().isDue(pair.multicastIn.received())) {
                ask(pair, out);
            }
        }
        startWait(out);
    }

    /** Notes that the stable number is up to date. */
    void onStable() {
        window.onStable(sent.stable(), sent.number(), streams.all().length);
    }

    /** Returns the total number of bytes that this member may send, those that it has sent included. */
    long limitBytes(Outbox out) {
        long sentBytes = sent.bytes();
        PacketRing unacknowledged = sent.copies();
        if (unacknowledged.size() == 0) {
            // One packet may always be in flight, whatever its length. This grant may be used after all others have
            // begun to send as well.
            return sentBytes + Math.max(Packet.DATAGRAM_MAX, window.bytes(members()));
        }
        long bytes = unacknowledged.bytes() + (long) Charge.OVERHEAD_BYTES * unacknowledged.size();
        return Math.max(sentBytes, sentBytes - bytes + window.bytes(SharedWindow.senders(streams.all(), out.nowNanos())));
    }

    private boolean isSilent(Outbox out) {
        return sentNanos == 0 || out.nowNanos() - sentNanos >= SharedWindow.ACTIVE_NANOS;
    }

    private int members() {
        return streams.all().length + 1;
    }

    /** Returns the received bytes after which to acknowledge, even if a sender has only the share of one member. */
    long ackBytes() {
        return window.ackBytes(members());
    }

    // ------------------------------------------------------------------ packets

    /** Takes a packet that arrived before an earlier one. */
    void onOvertaking(PeerStream pair, long number, Packet packet, Outbox out) {
        overtakers++;
        if (isImpossible(pair, number)) {
            out.drop(packet, DropReason.MALFORMED);
            return;
        }
        if (pair.ahead().contains(number)) {
            out.drop(packet, DropReason.DUPLICATE);
        } else if (!pair.ahead().keep(number, packet, windowBytes)) {
            out.drop(packet, DropReason.GAP);
        }
        askLater(out);
    }

    /** Returns whether a number is beyond what a sender that keeps to its window can have sent. */
    private boolean isImpossible(PeerStream pair, long number) {
        return number - pair.multicastIn.received() > windowBytes / Charge.OVERHEAD_BYTES;
    }

    /** Requests packets that are still missing a while after a later one has come: they may only be late. */
    private void askLater(Outbox out) {
        if (!out.isArmed(ReliabilityTimer.NACK)) {
            startWait(out);
        }
    }

    private void startWait(Outbox out) {
        boolean isDue = false;
        for (PeerStream pair : streams.all()) {
            pair.ahead().note();
            isDue |= pair.ahead().isDue(pair.multicastIn.received());
        }
        if (isDue) {
            out.arm(ReliabilityTimer.NACK, NACK_DELAY_NANOS);
        }
    }

    private void ask(PeerStream pair, Outbox out) {
        Packet ranges = Packet.create(out.memory(), OutOfOrderBuffer.RANGES_MAX * 16);
        int count = pair.ahead().ask(pair.multicastIn.received(), ranges);
        if (count == 0) {
            ranges.release();
            return;
        }
        nacksSent++;
        Packet nack = ranges.copy(out.memory()).prependInt(count);
        ranges.release();
        Wire.prependTag(nack, streams.view().id());
        out.send(nack.prependByte(PacketKind.NACK).withPeer(pair.member()));
    }

    /** Answers a request of the member of {@code pair} for missing packets. */
    void onNack(@Nullable PeerStream pair, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, streams.view().id());
        int count = packet.takeCount(16);
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
            return;
        }
        if (!isCurrent || pair == null) {
            out.drop(packet, DropReason.OLD_VIEW);
            return;
        }
        PacketRing copies = sent.copies();
        for (int index = 0; index < count; index++) {
            long last = Math.min(packet.peekLong(8), copies.next() - 1);
            for (long number = Math.max(packet.takeLong(), copies.first()); number <= last; number++) {
                Packet copy = copies.get(number);
                // Each packet is requested once in a session. A member that asks for much more gets no help.
                if (copy != null && pair.repeated < sent.number() + REPEATS_SPARE) {
                    repeat(pair, number, copy, out);
                }
            }
            packet.takeLong();
        }
        packet.release();
    }

    private void repeat(PeerStream pair, long number, Packet copy, Outbox out) {
        repeatsSent++;
        pair.repeated++;
        window.onRepeated();
        Packet again = copy.copy(out.memory()).prependLong(sent.stable()).prependLong(number);
        Wire.prependTag(again, streams.view().id());
        out.send(again.prependByte(PacketKind.MULTICAST).withPeer(pair.member()));
    }

    /** Takes the last number of a sender that is silent since, so that no later packet shows what is missing. */
    void onSent(@Nullable PeerStream pair, boolean isFrozen, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, streams.view().id());
        long number = packet.takeLong();
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (!isCurrent || pair == null || isFrozen) {
            out.drop(packet, DropReason.OLD_VIEW);
        } else if (isImpossible(pair, number)) {
            out.drop(packet, DropReason.MALFORMED);
        } else {
            // Earlier multicasts may wait at another socket, to be read in this turn or the next.
            pair.ahead().onKnown(number);
            askLater(out);
            packet.release();
        }
    }

    /** Announces the number of the last packet sent, unless all members have it or another packet has followed. */
    void onSentTimer(Outbox out) {
        if (isAllReceived()) {
            return;
        }
        if (sent.number() == sentAtTimer && announcedSent < sentAtTimer) {
            announcedSent = sentAtTimer;
            Packet packet = Packet.create(out.memory(), 64).prependLong(sentAtTimer);
            Wire.prependTag(packet, streams.view().id());
            out.send(packet.prependByte(PacketKind.SENT));
        } else if (announcedSent < sent.number()) {
            sentAtTimer = sent.number();
            out.arm(ReliabilityTimer.SENT, SENT_DELAY_NANOS);
        }
    }

    private boolean isAllReceived() {
        for (PeerStream pair : streams.all()) {
            if (pair.acknowledged < sent.number()) {
                return false;
            }
        }
        return true;
    }

    void report(Report section) {
        section.put("nacks-sent", nacksSent);
        section.put("repeats-sent", repeatsSent);
        section.put("overtaken-packets", overtakers);
    }

    /** Time for which a packet may arrive later than one sent after it, before it is requested; twice that at most. */
    private static final long NACK_DELAY_NANOS = 500_000;

    /** Silence after which a sender announces the number of its last packet. */
    private static final long SENT_DELAY_NANOS = 2_000_000;

    /** Number of packets that may be requested beyond one request for each. */
    private static final long REPEATS_SPARE = 1_024;
}
