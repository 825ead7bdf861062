package dev.tutti.protocols.reliability;

import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import org.jspecify.annotations.Nullable;

/**
 * The part of {@link Reliability} for where what is sent to all does not go over sessions: it may be lost, come twice and
 * overtake. What is missing is asked for and repeated over the sessions, once ({@code docs/design/reliability.md}).
 */
final class LostMulticasts {

    private final Reliability layer;
    private final Reliability.Limits limits;
    private final MulticastWindow window;

    /** What was sent when it was last looked whether anything is. */
    private long sentAtTimer;

    private long announcedSent;
    private long sentNanos;
    private long stable;
    private long nacksSent;
    private long repeatsSent;
    private long overtakers;

    /**
     * @param bytes what a receiver of multicasts keeps before it takes it
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

    /** A packet goes to all. */
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

    /** A new session: what was asked for and told in the one before may be lost with it. */
    void onOpened(Pair pair, Outbox out) {
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
        for (Pair pair : layer.pairs) {
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

    /** How far this member may send, of which it has sent {@code sentBytes}. */
    long limitBytes(long sentBytes, Outbox out) {
        PacketRing unacknowledged = layer.ownCopies;
        if (unacknowledged.size() == 0) {
            // One packet may always be under way, whatever its length. What is granted now may be used when all others
            // have begun too.
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

    /** Received bytes after which a sender should know, even one that does not have more than the share of a member. */
    long ackBytes() {
        return window.ackBytes(members());
    }

    // ------------------------------------------------------------------ packets

    /** A packet has come before one that was sent before it. */
    void onOvertaking(Pair pair, long number, Packet packet, Outbox out) {
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

    /** Whether no sender that keeps to its window could have sent so many. */
    private boolean isImpossible(Pair pair, long number) {
        return number - pair.multicastIn.received() > limits.windowBytes() / Charge.OVERHEAD_BYTES;
    }

    /** A packet was accepted: those that follow it may be here. */
    void acceptAhead(Pair pair, Outbox out) {
        Packet next = pair.ahead().take(pair.multicastIn.received() + 1);
        while (next != null) {
            layer.accept(pair, next, out);
            next = pair.ahead().take(pair.multicastIn.received() + 1);
        }
    }

    /** What is still missing when a later one has come for a while is asked for: it may only be late. */
    private void askLater(Outbox out) {
        if (!out.isArmed(Reliability.NACK_TIMER)) {
            startWait(out);
        }
    }

    private void startWait(Outbox out) {
        boolean isDue = false;
        for (Pair pair : layer.pairs) {
            pair.ahead().note();
            isDue |= pair.ahead().isDue(pair.multicastIn.received());
        }
        if (isDue) {
            out.arm(Reliability.NACK_TIMER, NACK_DELAY_NANOS);
        }
    }

    private void ask(Pair pair, Outbox out) {
        Packet ranges = Packet.create(out.memory(), Ahead.RANGES_MAX * 16);
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

    /** A packet that exists for lost ones only, its kind taken. */
    void onReceive(int kind, @Nullable Pair pair, Packet packet, Outbox out) {
        if (kind == Reliability.NACK) {
            onNack(pair, packet, out);
        } else {
            onSent(pair, packet, out);
        }
    }

    /** The member of {@code pair} asks for what it misses. */
    private void onNack(@Nullable Pair pair, Packet packet, Outbox out) {
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
                // Each packet is asked for once in a session: somebody who asks for much more is not helped by it.
                if (copy != null && pair.repeated < layer.sentNumber() + REPEATS_SPARE) {
                    repeat(pair, number, copy, out);
                }
            }
            packet.takeLong();
        }
        packet.release();
    }

    private void repeat(Pair pair, long number, Packet copy, Outbox out) {
        repeatsSent++;
        pair.repeated++;
        window.onRepeated();
        Packet again = copy.copy(out.memory()).prependLong(stable).prependLong(number);
        Wire.prependTag(again, layer.view.id());
        out.send(again.prependByte(Reliability.MULTICAST).withPeer(pair.member()));
    }

    /** The sender has been silent since it sent packet {@code number}: nothing later will show what is missing. */
    private void onSent(@Nullable Pair pair, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, layer.view.id());
        long number = packet.takeLong();
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (!isCurrent || pair == null || layer.isFrozen) {
            out.drop(packet, DropReason.OLD_VIEW);
        } else if (isImpossible(pair, number)) {
            out.drop(packet, DropReason.MALFORMED);
        } else {
            // What was multicast before may wait at another socket, to be read in this turn or the next.
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
        for (Pair pair : layer.pairs) {
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

    /** How long one packet may take longer than a later one, at least; twice that at most. */
    private static final long NACK_DELAY_NANOS = 500_000;

    /** Silence after which a sender says how far it has sent. */
    private static final long SENT_DELAY_NANOS = 2_000_000;

    /** Packets that may be asked for beyond each one once. */
    private static final long REPEATS_SPARE = 1_024;
}
