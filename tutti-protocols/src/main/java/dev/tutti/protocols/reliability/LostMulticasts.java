package dev.tutti.protocols.reliability;

import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import org.jspecify.annotations.Nullable;

/**
 * Part of {@link Reliability} for multicasts that are not carried by sessions and may be lost, duplicated or reordered.
 * Missing packets are requested and repeated over the sessions, once ({@code docs/design/reliability.md}).
 */
final class LostMulticasts {

    private final Reliability layer;
    private final Reliability.Limits limits;
    private final MulticastWindow window;

    /** Number of the last packet sent when the timer last fired. */
    private long sentAtTimer;

    private long announcedSent;
    private long sentNanos;
    private long stable;
    private long nacksSent;
    private long repeatsSent;
    private long overtakers;

    /**
     * @param bytes receive buffer of a receiver of multicasts
     */
    LostMulticasts(Reliability layer, Reliability.Limits limits, int bytes) {
        this.layer = layer;
        this.limits = limits;
        this.window = new MulticastWindow(bytes);
    }

    void startView() {
        window.startView();
        announcedSent = 0;
        sentAtTimer = 0;
        stable = 0;
    }

    /** Notes a packet that is sent to all. */
    void onMulticast(Packet packet, Outbox out) {
        packet.markExpendable();
        if (isSilent(out)) {
            window.restart(members());
        }
        sentNanos = out.nowNanos();
        if (!out.isArmed(Reliability.SENT_TIMER)) {
            sentAtTimer = layer.sentNumber();
            out.arm(Reliability.SENT_TIMER, SENT_DELAY_NANOS);
        }
    }

    /** Notes a new session. Requests and announcements in the previous one may be lost. */
    void onOpened(PeerStream pair, Outbox out) {
        pair.ahead().forgetAsked();
        pair.repeated = 0;
        askLater(out);
        announcedSent = 0;
        out.arm(Reliability.SENT_TIMER, SENT_DELAY_NANOS);
    }

    void onTimer(int timer, Outbox out) {
        if (timer == Reliability.SENT_TIMER) {
            onSentTimer(out);
            return;
        }
        if (layer.isFrozen) {
            return;
        }
        for (PeerStream pair : layer.pairs) {
            if (pair.ahead().isDue(pair.multicastIn.received())) {
                ask(pair, out);
            }
        }
        startWait(out);
    }

    void onStable(long number) {
        stable = number;
        window.onStable(stable, layer.sentNumber(), layer.pairs.length);
    }

    /** Returns the total number of bytes that this member may send, of which it has sent {@code sentBytes}. */
    long limitBytes(long sentBytes, Outbox out) {
        PacketRing unacknowledged = layer.ownCopies;
        if (unacknowledged.size() == 0) {
            // One packet may always be in flight, whatever its length. This grant may be used after all others have
            // begun to send as well.
            return sentBytes + Math.max(Packet.DATAGRAM_MAX, window.bytes(members()));
        }
        long bytes = unacknowledged.bytes() + (long) Charge.OVERHEAD_BYTES * unacknowledged.size();
        return Math.max(sentBytes, sentBytes - bytes + window.bytes(SharedWindow.senders(layer.pairs, out.nowNanos())));
    }

    private boolean isSilent(Outbox out) {
        return sentNanos == 0 || out.nowNanos() - sentNanos >= SharedWindow.ACTIVE_NANOS;
    }

    private int members() {
        return layer.pairs.length + 1;
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
        } else if (!pair.ahead().keep(number, packet, limits.windowBytes())) {
            out.drop(packet, DropReason.GAP);
        }
        askLater(out);
    }

    /** Returns whether a number is beyond what a sender that keeps to its window can have sent. */
    private boolean isImpossible(PeerStream pair, long number) {
        return number - pair.multicastIn.received() > limits.windowBytes() / Charge.OVERHEAD_BYTES;
    }

    /** Accepts the packets that follow one that was just accepted, and arrived before it. */
    void acceptAhead(PeerStream pair, Outbox out) {
        Packet next = pair.ahead().take(pair.multicastIn.received() + 1);
        while (next != null) {
            layer.accept(pair, next, out);
            next = pair.ahead().take(pair.multicastIn.received() + 1);
        }
    }

    /** Requests packets that are still missing a while after a later one has come: they may only be late. */
    private void askLater(Outbox out) {
        if (!out.isArmed(Reliability.NACK_TIMER)) {
            startWait(out);
        }
    }

    private void startWait(Outbox out) {
        boolean isDue = false;
        for (PeerStream pair : layer.pairs) {
            pair.ahead().note();
            isDue |= pair.ahead().isDue(pair.multicastIn.received());
        }
        if (isDue) {
            out.arm(Reliability.NACK_TIMER, NACK_DELAY_NANOS);
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
        Wire.prependTag(nack, layer.view.id());
        out.send(nack.prependByte(Reliability.NACK).withPeer(pair.member()));
    }

    /** Takes a control packet about lost ones, of which the kind has been read. */
    void onReceive(int kind, @Nullable PeerStream pair, Packet packet, Outbox out) {
        if (kind == Reliability.NACK) {
            onNack(pair, packet, out);
        } else {
            onSent(pair, packet, out);
        }
    }

    /** Answers a request of the member of {@code pair} for missing packets. */
    private void onNack(@Nullable PeerStream pair, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, layer.view.id());
        int count = packet.takeCount(16);
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
            return;
        }
        if (!isCurrent || pair == null) {
            out.drop(packet, DropReason.OLD_VIEW);
            return;
        }
        for (int index = 0; index < count; index++) {
            long last = Math.min(packet.peekLong(8), layer.ownCopies.next() - 1);
            for (long number = Math.max(packet.takeLong(), layer.ownCopies.first()); number <= last; number++) {
                Packet copy = layer.ownCopies.get(number);
                // Each packet is requested once in a session. A member that asks for much more gets no help.
                if (copy != null && pair.repeated < layer.sentNumber() + REPEATS_SPARE) {
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
        Packet again = copy.copy(out.memory()).prependLong(stable).prependLong(number);
        Wire.prependTag(again, layer.view.id());
        out.send(again.prependByte(Reliability.MULTICAST).withPeer(pair.member()));
    }

    /** Takes the last number of a sender that is silent since, so that no later packet shows what is missing. */
    private void onSent(@Nullable PeerStream pair, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, layer.view.id());
        long number = packet.takeLong();
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (!isCurrent || pair == null || layer.isFrozen) {
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

    private void onSentTimer(Outbox out) {
        if (layer.isFrozen || isAllReceived()) {
            return;
        }
        if (layer.sentNumber() == sentAtTimer && announcedSent < sentAtTimer) {
            announcedSent = sentAtTimer;
            Packet packet = Packet.create(out.memory(), 64).prependLong(sentAtTimer);
            Wire.prependTag(packet, layer.view.id());
            out.send(packet.prependByte(Reliability.SENT));
        } else if (announcedSent < layer.sentNumber()) {
            sentAtTimer = layer.sentNumber();
            out.arm(Reliability.SENT_TIMER, SENT_DELAY_NANOS);
        }
    }

    private boolean isAllReceived() {
        for (PeerStream pair : layer.pairs) {
            if (pair.acknowledged < layer.sentNumber()) {
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
