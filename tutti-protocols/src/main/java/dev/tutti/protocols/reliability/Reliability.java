package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import dev.tutti.core.stack.Timer;
import dev.tutti.protocols.reliability.buffer.FutureViewBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reliable FIFO multicast and unicast with absolute windows, stability, and the part of a view change that concerns
 * packets: those that a member has, those that it lacks, and their holders.
 *
 * <p>One acknowledgement serves reliability, flow control and stability: received without gap up to R, ready to take up
 * to L. {@code docs/design/reliability.md} has the messages, the timers and the consequences of failures. On a session
 * no packet can be missing, so there is no repair timer: the view change that a lost session causes repairs it.
 */
public final class Reliability implements Layer {

    /**
     * @param windowBytes bytes that one sender may have in flight to one receiver
     * @param ackDelayNanos delay of acknowledgements that are not urgent
     * @param stableDelayNanos time for which a sender with nothing to send waits before it announces its stable number
     * @param leaveTimeoutNanos time for which a leaving member waits for acknowledgements
     * @param fetchTimeoutNanos time without any repair after which a holder that was asked is expelled
     */
    public record Limits(
            long windowBytes,
            long ackDelayNanos,
            long stableDelayNanos,
            long leaveTimeoutNanos,
            long fetchTimeoutNanos) {}

    /**
     * Settings of multicasts that go from member to member.
     *
     * @param patienceNanos time that a packet may take from one member to the next
     * @param isTried whether the ring is only used if it proves faster
     */
    public record Round(long patienceNanos, boolean isTried) {}

    /** Offset of the origin's rank in a relayed packet. */
    private static final int ORIGIN_OFFSET = 1 + Wire.TAG_BYTES;

    private final Member self;
    private final Limits limits;
    private final PeerStreams streams;
    private final SentMulticasts sent;
    private final SharedWindow shared;
    private final SendWindow window;
    private final Acknowledgements acknowledgements;
    private final ReceivedMulticasts received;
    private final Unicasts unicasts;
    private final Receipts receipts;
    private final Flush flush;
    private final Repairs repairs;
    private final FutureViewBuffer held;
    private final Partings partings = new Partings();

    /** Handling of multicasts that may be lost, repeated and reordered; null where sessions carry them. */
    private final @Nullable LostMulticasts lost;

    /** Path of multicasts that may go from member to member; null where each goes to all at once. */
    private final @Nullable Ring ring;

    /** Members whose sessions have closed; each new view forgets those that are not in it. */
    private final TreeSet<Member> closed = new TreeSet<>();

    private boolean isFrozen;
    private boolean isLeaving;
    private long multicastsSent;

    /**
     * @param multicastBytes receive buffer of a receiver of multicasts, where they may be lost; 0 where sessions carry
     *     them
     * @param round null if each multicast goes to all at once; only has an effect where sessions carry them
     */
    public Reliability(Member self, Limits limits, int multicastBytes, @Nullable Round round) {
        this.self = self;
        this.limits = limits;
        this.streams = new PeerStreams(self, limits.windowBytes());
        this.sent = new SentMulticasts(limits.windowBytes());
        this.shared = new SharedWindow(limits.windowBytes());
        this.window = new SendWindow(streams, sent);
        this.receipts = new Receipts(streams, sent);
        this.acknowledgements = new Acknowledgements(streams, sent, receipts, limits.ackDelayNanos());
        this.unicasts = new Unicasts(streams, receipts, limits.windowBytes());
        this.lost = multicastBytes == 0 ? null : new LostMulticasts(streams, sent, limits.windowBytes(), multicastBytes);
        this.ring = round != null && multicastBytes == 0 ? new Ring(streams, sent, shared, limits, round) : null;
        this.received = new ReceivedMulticasts(streams, acknowledgements, lost, ring);
        this.flush = new Flush(streams, received, limits.fetchTimeoutNanos());
        this.repairs = new Repairs(streams, sent);
        this.held = new FutureViewBuffer(limits.windowBytes());
    }

    // ------------------------------------------------------------------ down

    @Override
    public void onSend(Packet packet, Outbox out) {
        Member receiver = packet.peer();
        if (receiver != null) {
            unicasts.send(receiver, packet, out);
            return;
        }
        if (isFrozen) {
            throw new IllegalStateException("a multicast was sent during a view change, in " + streams.view());
        }
        multicastsSent++;
        sent.onSent(Charge.of(packet));
        if (packet.ticket() != 0) {
            receipts.onMulticast(packet.ticket(), sent.number(), out);
            window.onNews();
        }
        Packet delivery = packet.slice().withPeer(self).withReceipt(sent.own());
        out.deliver(delivery);
        if (streams.all().length == 0) {
            packet.release();
            return;
        }
        sent.copies().append(packet.slice());
        sent.onStableAnnounced();
        packet.prependLong(sent.stable()).prependLong(sent.number());
        if (ring != null) {
            ring.beforeSend(out);
            if (ring.isChosen()) {
                ring.send(packet, out);
                return;
            }
        }
        Wire.prependTag(packet, streams.view().id());
        packet.prependByte(PacketKind.MULTICAST);
        if (lost != null) {
            lost.onMulticast(packet, out);
        }
        out.send(packet);
    }

    @Override
    public void onConsumed(Packet packet, Outbox out) {
        if (packet.receipt() instanceof ReceiveWindow receiveWindow) {
            receiveWindow.onConsumed(Charge.of(packet));
            if (receiveWindow == sent.own() || unicasts.isToSelf(receiveWindow)) {
                window.onNews();
            } else {
                acknowledgements.onNews();
            }
        }
        out.consumed(packet);
    }

    // ------------------------------------------------------------------ up

    @Override
    public void onReceive(Packet packet, Outbox out) {
        Member from = packet.peer();
        if (from == null) {
            out.drop(packet, DropReason.MALFORMED);
            return;
        }
        if (packet.length() < 9) {
            out.drop(packet, DropReason.MALFORMED);
            return;
        }
        int kind = packet.bytes().get(packet.offset());
        long viewNumber = packet.bytes().getLong(packet.offset() + 1);
        if (viewNumber > streams.view().id().number() && kind != PacketKind.FETCH && kind != PacketKind.REPAIR) {
            boolean isAbsolute = PacketKind.isAbsolute(kind);
            boolean isRepeated = lost != null && kind == PacketKind.MULTICAST;
            int stream = kind == PacketKind.RELAYED ? 1 + packet.peekInt(ORIGIN_OFFSET) : 0;
            if (stream < 0 || stream > Wire.MEMBERS_MAX) {
                out.drop(packet, DropReason.MALFORMED);
            } else if (!held.hold(from, stream, viewNumber, kind, isAbsolute, isRepeated, packet, out)) {
                // The packet alone would be missing for ever. Without the session, a view change compensates for it.
                out.drop(packet, DropReason.HELD_FULL);
                out.lower(new Signal.Peer.Expel(from, "it has sent more in a coming view than its window allows"));
            }
            return;
        }
        handle(packet.takeByte(), from, packet, out);
    }

    private void handle(int kind, Member from, Packet packet, Outbox out) {
        switch (kind) {
            case PacketKind.MULTICAST, PacketKind.RELAYED -> received.onReceive(kind, from, isFrozen, packet, out);
            case PacketKind.UNICAST -> {
                if (unicasts.onReceive(from, packet, out)) {
                    acknowledgements.onNews();
                }
            }
            case PacketKind.ACK -> {
                if (acknowledgements.onAck(from, packet, out)) {
                    window.onNews();
                }
            }
            case PacketKind.STABLE -> received.onStable(from, packet, out);
            case PacketKind.FETCH -> repairs.onFetch(from, packet, out);
            case PacketKind.REPAIR -> flush.onRepair(from, packet, out);
            case PacketKind.NACK, PacketKind.SENT -> {
                if (lost == null) {
                    out.drop(packet, DropReason.MALFORMED);
                } else if (kind == PacketKind.NACK) {
                    lost.onNack(streams.find(from), packet, out);
                } else {
                    lost.onSent(streams.find(from), isFrozen, packet, out);
                }
            }
            case PacketKind.ASK -> acknowledgements.onAsk(from, packet, out);
            case PacketKind.DELIVERED -> onDelivered(from, packet, out);
            default -> out.drop(packet, DropReason.MALFORMED);
        }
    }

    private void onDelivered(Member from, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, streams.view().id());
        if (!receipts.onDelivered(from, packet, out)) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (!isCurrent) {
            // Its content is valid in any view; an honest sender sends it in the present one.
            out.drop(packet, DropReason.OLD_VIEW);
        } else {
            packet.release();
        }
    }

    // ------------------------------------------------------------------ view change

    @Override
    public void onSignal(Signal signal, Outbox out) {
        switch (signal) {
            case Signal.ViewChange.Frozen(ViewId ballot, TreeMap<Member, Long> nothing) -> {
                isFrozen = true;
                flush.stop(out);
                // The reported numbers are without gaps; the cut brings the rest.
                for (PeerStream pair : streams.all()) {
                    pair.clearAhead(DropReason.FROZEN, out);
                }
                out.lower(new Signal.ViewChange.Frozen(ballot, numbers()));
            }
            case Signal.ViewChange.Flush(ViewId ballot, TreeMap<Member, Long> cut, TreeMap<Member, Member> holders) ->
                flush.start(ballot, cut, holders, out);
            case Signal.ViewChange.Installed installed -> install(installed, out);
            case Signal.ViewChange.ViewStable(View followed) -> {
                if (followed.equals(streams.view())) {
                    repairs.freeOld();
                    receipts.onViewStable(out);
                }
            }
            case Signal.Peer.Closed(Member member, boolean isGraceful, String reason) -> {
                closed.add(member);
                PeerStream pair = streams.find(member);
                if (lost != null || pair == null) {
                    held.forget(member, out);
                }
                out.forward(signal);
            }
            case Signal.Flow.Processor(boolean isBusy) -> {
                if (ring != null) {
                    ring.onProcessor(isBusy);
                }
            }
            case Signal.Peer.Opened(Member member, int version) -> {
                closed.remove(member);
                onOpened(member, out);
            }
            case Signal.Departure.Leave() -> {
                isLeaving = true;
                out.arm(ReliabilityTimer.LEAVE, limits.leaveTimeoutNanos());
            }
            default -> out.forward(signal);
        }
    }

    /** Returns the last number received per sender in this view, without senders that have sent nothing. */
    private TreeMap<Member, Long> numbers() {
        TreeMap<Member, Long> numbers = new TreeMap<>();
        numbers.put(self, sent.number());
        for (PeerStream pair : streams.all()) {
            numbers.put(pair.member(), pair.multicastIn.received());
        }
        numbers.values().removeIf(number -> number == 0);
        return numbers;
    }

    private void install(Signal.ViewChange.Installed installed, Outbox out) {
        View ended = streams.view();
        View next = installed.view();
        Set<Member> part = next.transitionalSet(self);
        receipts.onInstalled(next, part, out);
        partings.onInstalled(ended, part, streams.all());
        repairs.startView(ended, next);
        repairs.keep(self, sent.startView());
        for (PeerStream pair : streams.startView(next, part, sent.bytes(), repairs, out)) {
            receipts.onUnicastsEnded(pair, ended, next, out);
            if (!next.contains(pair.member())) {
                out.raise(new Signal.Flow.StreamReset(pair.member(), false));
            }
        }
        flush.startView();
        if (lost != null) {
            lost.startView();
        }
        if (ring != null) {
            ring.startView();
        }
        acknowledgements.onNews();
        // If a newer ballot is promised already, its Freeze follows at once, and held packets count in the answer.
        isFrozen = false;
        if (part.size() == 1) {
            repairs.freeOld();
        }
        partings.tell(next, part, out);
        // The window comes first: with the view the sender continues at once.
        announceWindow(out);
        out.raise(installed);
        List<Packet> due = held.takeUpTo(next.id().number());
        held.forgetStrangers(next, closed, out);
        closed.removeIf(member -> !next.contains(member));
        for (Packet packet : due) {
            Member from = packet.peer();
            if (from != null) {
                handle(packet.takeByte(), from, packet, out);
            }
        }
    }

    @Override
    public void onStop() {
        sent.free();
        streams.free();
        repairs.freeOld();
        held.free();
    }

    /** Takes a new session: both ends announce their numbers, and repeat what the previous one may have lost. */
    private void onOpened(Member member, Outbox out) {
        PeerStream pair = streams.find(member);
        if (pair == null) {
            return;
        }
        pair.mustAcknowledge = true;
        acknowledgements.onNews();
        if (lost != null) {
            lost.onOpened(pair, out);
        }
        unicasts.repeat(pair, out);
    }

    // ------------------------------------------------------------------ turn end and timers

    @Override
    public void onTurnEnd(Outbox out) {
        if (acknowledgements.isNews()) {
            acknowledgements.sendUrgent(lost == null ? shared.ackBytes(senders(out)) : lost.ackBytes(), out);
        }
        if (window.takeNews()) {
            sent.updateStable(streams.all());
            if (lost != null) {
                lost.onStable();
            }
            receipts.onAcknowledged(sent.stable(), out);
            announceWindow(out);
        }
        receipts.ask(out);
        if (streams.all().length > 1 && sent.isStableNews() && !out.isArmed(ReliabilityTimer.STABLE)) {
            out.arm(ReliabilityTimer.STABLE, limits.stableDelayNanos());
        }
        if (isLeaving && !isFrozen && isAllAcknowledged()) {
            leave(out);
        }
    }

    /** Returns the number of members that have multicast lately, this one included. */
    private int senders(Outbox out) {
        return SharedWindow.senders(streams.all(), out.nowNanos());
    }

    @Override
    public List<? extends Timer> timers() {
        return List.of(ReliabilityTimer.values());
    }

    @Override
    public void onTimer(Timer timer, Outbox out) {
        switch ((ReliabilityTimer) timer) {
            case ACK -> acknowledgements.onTimer(out);
            case STABLE -> {
                if (sent.isStableNews() && !isFrozen) {
                    sent.onStableAnnounced();
                    Packet packet = Packet.create(out.memory(), 64).prependLong(sent.stable());
                    Wire.prependTag(packet, streams.view().id());
                    out.send(packet.prependByte(PacketKind.STABLE));
                }
            }
            case NACK -> {
                if (lost != null && !isFrozen) {
                    lost.onNackTimer(out);
                }
            }
            case SENT -> {
                if (lost != null && !isFrozen) {
                    lost.onSentTimer(out);
                }
            }
            case FETCH -> flush.onTimer(out);
            case RING -> {
                if (ring != null && !isFrozen) {
                    ring.onTimer(out);
                }
            }
            case LEAVE -> {
                if (isLeaving) {
                    leave(out);
                }
            }
        }
    }

    private void announceWindow(Outbox out) {
        long sharedBytes = Long.MAX_VALUE;
        if (lost != null && streams.all().length > 0) {
            sharedBytes = lost.limitBytes(out);
        } else if (streams.all().length > 0 && (ring == null || !ring.isChosen())) {
            sharedBytes = shared.limitBytes(sent.bytes(), sent.copies(), senders(out));
        }
        unicasts.announceToSelf(out);
        window.announce(sharedBytes, out);
    }

    private boolean isAllAcknowledged() {
        return Arrays.stream(streams.all()).allMatch(pair -> sent.number() <= pair.acknowledged && pair.unicastOut.size() == 0);
    }

    private void leave(Outbox out) {
        isLeaving = false;
        out.disarm(ReliabilityTimer.LEAVE);
        out.lower(new Signal.Departure.Leave());
    }

    @Override
    public void report(Report report) {
        Report section = report.section("reliability");
        section.put("sent-packets", multicastsSent + unicasts.sent());
        section.put("sent-bytes", sent.bytes());
        section.put("received-packets", received.count() + unicasts.received());
        section.put("acks-sent", acknowledgements.sent());
        section.put("repairs-sent", repairs.count());
        section.put("repairs-received", flush.repairs());
        if (lost != null) {
            lost.report(section);
        }
        if (ring != null) {
            ring.report(section);
        }
        section.put("unstable-packets", sent.copies().size());
        section.put("unstable-bytes", sent.copies().bytes());
        section.put("held-packets", held.size());
        section.put("window-bytes", limits.windowBytes());
        section.put("window-open-bytes", window.openBytes());
        section.put("window-bounded-by", window.waitsFor().name());
        for (PeerStream pair : streams.all()) {
            pair.report(section.section(pair.member().name()));
        }
    }
}
