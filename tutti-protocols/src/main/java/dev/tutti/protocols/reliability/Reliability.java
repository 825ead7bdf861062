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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    static final int MULTICAST = 0;
    static final int UNICAST = 1;
    static final int ACK = 2;
    static final int STABLE = 3;
    static final int FETCH = 4;
    static final int REPAIR = 5;
    static final int NACK = 6;
    static final int SENT = 7;
    static final int RELAYED = 8;
    static final int ASK = 9;
    static final int DELIVERED = 10;

    /** Highest limit that a receiver may grant, so that byte counts stay within their range. */
    private static final long LIMIT_BYTES_MAX = 1L << 62;

    /** Offset of the origin's rank in a relayed packet. */
    private static final int ORIGIN_OFFSET = 1 + Wire.TAG_BYTES;

    private static final int ACK_TIMER = 0;
    private static final int STABLE_TIMER = 1;
    private static final int LEAVE_TIMER = 2;
    static final int NACK_TIMER = 3;
    static final int SENT_TIMER = 4;
    static final int RING_TIMER = 5;
    static final int FETCH_TIMER = 6;

    private final Member self;
    private final Limits limits;

    /** Handling of multicasts that may be lost, repeated and reordered; null where sessions carry them. */
    private final @Nullable LostMulticasts lost;

    /** Path of multicasts that may go from member to member; null where each goes to all at once. */
    private final @Nullable Ring ring;

    // State that LostMulticasts and Ring use as well.
    final SharedWindow shared;
    View view;
    boolean isFrozen;

    /** Other members of the view, by rank; below, by member. */
    PeerStream[] pairs = new PeerStream[0];

    private Map<Member, PeerStream> pairOf = new HashMap<>();

    /** Members no longer in the view whose packets the application has not all consumed. */
    private final TreeMap<Member, PeerStream> departed = new TreeMap<>();

    /** Multicasts of this member, which it receives itself as well. */
    private final ReceiveWindow own;

    /** Unicasts of this member to itself. */
    private final ReceiveWindow toSelf;

    PacketRing ownCopies = new PacketRing();
    long sentBytes;
    long stable;
    private long announcedStable;
    private long windowLimitBytes;
    private @Nullable Member windowWaitsFor;
    private final FutureViewBuffer held;

    /** Members whose sessions have closed; each new view forgets those that are not in it. */
    private final TreeSet<Member> closed = new TreeSet<>();

    private final Repairs repairs = new Repairs(this);
    private final Receipts receipts;
    private final Partings partings = new Partings();
    private @Nullable ViewId reachBallot;
    private TreeMap<Member, Long> reach = new TreeMap<>();
    private boolean isLeaving;
    private boolean isWindowNews = true;

    /** There may be something to acknowledge. Finding out takes a pass over all members. */
    private boolean isAckNews;

    private long packetsSent;
    private long packetsReceived;
    private long acksSent;
    private long repairsReceived;

    /**
     * @param multicastBytes receive buffer of a receiver of multicasts, where they may be lost; 0 where sessions carry
     *     them
     * @param round null if each multicast goes to all at once; only has an effect where sessions carry them
     */
    public Reliability(Member self, Limits limits, int multicastBytes, @Nullable Round round) {
        this.ring = round != null && multicastBytes == 0 ? new Ring(this, self, limits, round) : null;
        this.lost = multicastBytes == 0 ? null : new LostMulticasts(this, limits, multicastBytes);
        this.shared = new SharedWindow(limits.windowBytes());
        this.self = self;
        this.limits = limits;
        this.view = View.alone(self);
        this.own = new ReceiveWindow(false, limits.windowBytes());
        this.toSelf = new ReceiveWindow(true, limits.windowBytes());
        this.held = new FutureViewBuffer(limits.windowBytes());
        this.receipts = new Receipts(this, self);
    }

    // ------------------------------------------------------------------ down

    @Override
    public void onSend(Packet packet, Outbox out) {
        if (isFrozen) {
            throw new IllegalStateException("a packet was sent during a view change, in " + view);
        }
        Member receiver = packet.peer();
        if (receiver != null) {
            sendTo(receiver, packet, out);
            return;
        }
        packetsSent++;
        long chargedBytes = Charge.of(packet);
        sentBytes += chargedBytes;
        own.onArrived(chargedBytes);
        if (packet.ticket() != 0) {
            receipts.onMulticast(packet.ticket(), own.received(), out);
            isWindowNews = true;
        }
        Packet delivery = packet.slice().withPeer(self).withReceipt(own);
        out.deliver(delivery);
        if (pairs.length == 0) {
            packet.release();
            return;
        }
        ownCopies.append(packet.slice());
        announcedStable = stable;
        packet.prependLong(stable).prependLong(own.received());
        if (ring != null) {
            ring.beforeSend(out);
            if (ring.isChosen()) {
                ring.send(packet, out);
                return;
            }
        }
        Wire.prependTag(packet, view.id());
        packet.prependByte(MULTICAST);
        if (lost != null) {
            lost.onMulticast(packet, out);
        }
        out.send(packet);
    }

    private void sendTo(Member receiver, Packet packet, Outbox out) {
        packetsSent++;
        if (receiver.equals(self)) {
            toSelf.onArrived(Charge.of(packet));
            long ticket = packet.ticket();
            out.deliver(packet.withReceipt(toSelf));
            if (ticket != 0) {
                receipts.onUnicastToSelf(ticket, out);
            }
            return;
        }
        PeerStream pair = pairOf.get(receiver);
        if (pair == null) {
            if (packet.ticket() != 0) {
                receipts.onUnsent(receiver, packet.ticket(), out);
            }
            out.drop(packet, DropReason.NO_SESSION);
            return;
        }
        pair.unicastSentBytes += Charge.of(packet);
        long number = pair.unicastOut.next();
        if (packet.ticket() != 0) {
            receipts.onUnicast(pair, packet.ticket(), number, out);
        }
        pair.unicastOut.append(packet.slice());
        sendUnicast(pair, number, packet, out);
    }

    private static void sendUnicast(PeerStream pair, long number, Packet packet, Outbox out) {
        packet.prependLong(number).prependLong(pair.sinceView()).prependByte(UNICAST);
        out.send(packet.withPeer(pair.member()));
    }

    @Override
    public void onConsumed(Packet packet, Outbox out) {
        if (packet.receipt() instanceof ReceiveWindow receiveWindow) {
            receiveWindow.onConsumed(Charge.of(packet));
            isWindowNews |= receiveWindow == own || receiveWindow == toSelf;
            isAckNews |= receiveWindow != own && receiveWindow != toSelf;
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
        if (viewNumber > view.id().number() && kind != FETCH && kind != REPAIR) {
            boolean isAbsolute = kind == ACK || kind == STABLE || kind == SENT || kind == ASK || kind == DELIVERED;
            boolean isRepeated = lost != null && kind == MULTICAST;
            int stream = kind == RELAYED ? 1 + packet.peekInt(ORIGIN_OFFSET) : 0;
            if (stream < 0 || stream > Wire.MEMBERS_MAX) {
                out.drop(packet, DropReason.MALFORMED);
            } else if (!held.hold(from, stream, viewNumber, kind, isAbsolute, isRepeated, packet, out)) {
                // The packet alone would be missing for ever. Without the session, a view change compensates for it.
                out.drop(packet, DropReason.HELD_FULL);
                out.lower(new Signal.Expel(from, "it has sent more in a coming view than its window allows"));
            }
            return;
        }
        handle(packet.takeByte(), from, packet, out);
    }

    private void handle(int kind, Member from, Packet packet, Outbox out) {
        switch (kind) {
            case MULTICAST, RELAYED -> onMulticast(kind, from, packet, out);
            case UNICAST -> onUnicast(from, packet, out);
            case ACK -> onAck(from, packet, out);
            case STABLE -> onStable(from, packet, out);
            case FETCH -> repairs.onFetch(from, packet, out);
            case REPAIR -> onRepair(from, packet, out);
            case NACK, SENT -> {
                if (lost == null) {
                    out.drop(packet, DropReason.MALFORMED);
                } else {
                    lost.onReceive(kind, pairOf.get(from), packet, out);
                }
            }
            case ASK -> onAsk(from, packet, out);
            case DELIVERED -> onDelivered(from, packet, out);
            default -> out.drop(packet, DropReason.MALFORMED);
        }
    }

    private void onMulticast(int kind, Member from, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, view.id());
        int origin = kind == RELAYED ? packet.takeInt() : -1;
        int end = kind == RELAYED ? packet.takeInt() : -1;
        long number = packet.takeLong();
        long stableAtSender = packet.takeLong();
        PeerStream pair = kind == RELAYED ? pairOfRank(origin) : pairOf.get(from);
        if (kind == RELAYED && ring == null) {
            packet.markMalformed();
        }
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (!isCurrent) {
            out.drop(packet, DropReason.OLD_VIEW);
        } else if (pair == null) {
            out.drop(packet, DropReason.FOREIGN_SENDER);
        } else if (ring != null && kind == RELAYED && !ring.mayPass(from, pair.member())) {
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
            if (ring != null && kind == RELAYED) {
                ring.pass(origin, end, number, stableAtSender, packet, out);
            }
            accept(pair, packet, out);
            if (lost != null) {
                lost.acceptAhead(pair, out);
            } else if (ring != null) {
                ring.acceptAhead(pair, out);
            }
            pair.copies.freeUpTo(Math.min(stableAtSender, number));
        }
    }

    /** Returns the pair of a rank; null for this member itself, and for an invalid rank. */
    private @Nullable PeerStream pairOfRank(int rank) {
        return 0 <= rank && rank < view.size() ? pairOf.get(view.members().get(rank)) : null;
    }

    void accept(PeerStream pair, Packet packet, Outbox out) {
        packetsReceived++;
        long chargedBytes = Charge.of(packet);
        pair.multicastIn.onArrived(chargedBytes);
        pair.unacknowledgedBytes += chargedBytes;
        pair.multicastNanos = out.nowNanos();
        isAckNews = true;
        if (pairs.length > 1) {
            // In a view of only the sender and this member, no other one could ask for it.
            pair.copies.append(packet.slice());
        }
        out.deliver(packet.withPeer(pair.member()).withReceipt(pair.multicastIn));
    }

    private void onUnicast(Member from, Packet packet, Outbox out) {
        long sinceView = packet.takeLong();
        long number = packet.takeLong();
        PeerStream pair = pairOf.get(from);
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (pair == null) {
            out.drop(packet, DropReason.FOREIGN_SENDER);
        } else if (sinceView != pair.sinceView()) {
            out.drop(packet, DropReason.OLD_VIEW);
        } else if (number != pair.unicastIn.received() + 1) {
            out.drop(packet, number <= pair.unicastIn.received() ? DropReason.DUPLICATE : DropReason.GAP);
        } else {
            packetsReceived++;
            pair.unicastIn.onArrived(Charge.of(packet));
            isAckNews = true;
            out.deliver(packet.withReceipt(pair.unicastIn));
        }
    }

    private void onAck(Member from, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, view.id());
        long received = packet.takeLong();
        long limitBytes = packet.takeLong();
        long sinceView = packet.takeLong();
        long unicastReceived = packet.takeLong();
        long unicastLimitBytes = packet.takeLong();
        PeerStream pair = pairOf.get(from);
        if (packet.isMalformed() || (isCurrent && received > own.received())) {
            out.drop(packet, DropReason.MALFORMED);
            return;
        }
        if (pair == null || !isCurrent || sinceView != pair.sinceView()) {
            out.drop(packet, DropReason.OLD_VIEW);
            return;
        }
        if (unicastReceived >= pair.unicastOut.next()) {
            out.drop(packet, DropReason.MALFORMED);
            return;
        }
        if (limitBytes > LIMIT_BYTES_MAX || unicastLimitBytes > LIMIT_BYTES_MAX) {
            out.drop(packet, DropReason.IMPLAUSIBLE);
            return;
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
            out.raise(new Signal.Window(from, unicastLimitBytes, null));
        }
        isWindowNews = true;
    }

    private void onStable(Member from, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, view.id());
        long number = packet.takeLong();
        PeerStream pair = pairOf.get(from);
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (!isCurrent || pair == null) {
            out.drop(packet, DropReason.OLD_VIEW);
        } else {
            pair.copies.freeUpTo(Math.min(number, pair.multicastIn.received()));
            packet.release();
        }
    }

    /** Takes the request of a member to acknowledge its packets at once. */
    private void onAsk(Member from, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, view.id());
        long number = packet.takeLong();
        PeerStream pair = pairOf.get(from);
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (!isCurrent || pair == null) {
            out.drop(packet, DropReason.OLD_VIEW);
        } else {
            pair.asked = Math.max(pair.asked, number);
            pair.mustAcknowledge |= pair.hasNews();
            isAckNews = true;
            packet.release();
        }
    }

    private void onDelivered(Member from, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, view.id());
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
            case Signal.Frozen(ViewId ballot, TreeMap<Member, Long> nothing) -> {
                isFrozen = true;
                reachBallot = null;
                out.disarm(FETCH_TIMER);
                // The reported numbers are without gaps; the cut brings the rest.
                for (PeerStream pair : pairs) {
                    pair.clearAhead(DropReason.FROZEN, out);
                }
                out.lower(new Signal.Frozen(ballot, received()));
            }
            case Signal.Flush(ViewId ballot, TreeMap<Member, Long> cut, TreeMap<Member, Member> holders) -> {
                reachBallot = ballot;
                reach = cut;
                repairs.fetch(holders, out);
                out.arm(FETCH_TIMER, limits.fetchTimeoutNanos());
                checkReached(out);
            }
            case Signal.Installed installed -> install(installed, out);
            case Signal.ViewStable(View followed) -> {
                if (followed.equals(view)) {
                    repairs.freeOld();
                    receipts.onViewStable(out);
                }
            }
            case Signal.Closed(Member member, boolean isGraceful, String reason) -> {
                closed.add(member);
                PeerStream pair = pairOf.get(member);
                if (lost != null || pair == null) {
                    held.forget(member, out);
                }
                out.forward(signal);
            }
            case Signal.Processor(boolean isBusy) -> {
                if (ring != null) {
                    ring.onProcessor(isBusy);
                }
            }
            case Signal.Opened(Member member) -> {
                closed.remove(member);
                repeatUnicasts(member, out);
            }
            case Signal.Leave() -> {
                isLeaving = true;
                out.arm(LEAVE_TIMER, limits.leaveTimeoutNanos());
            }
            default -> out.forward(signal);
        }
    }

    /** Returns the last number received per sender in this view, without senders that have sent nothing. */
    private TreeMap<Member, Long> received() {
        TreeMap<Member, Long> received = new TreeMap<>();
        received.put(self, own.received());
        for (PeerStream pair : pairs) {
            received.put(pair.member(), pair.multicastIn.received());
        }
        received.values().removeIf(count -> count == 0);
        return received;
    }

    long cutOf(PeerStream pair) {
        return reach.getOrDefault(pair.member(), 0L);
    }

    PeerStream pair(Member member) {
        PeerStream pair = pairOf.get(member);
        if (pair == null) {
            throw new IllegalStateException(member + " is not in " + view);
        }
        return pair;
    }

    private @Nullable PeerStream pair(long incarnation, int join) {
        for (PeerStream pair : pairs) {
            if (pair.member().node().incarnation() == incarnation && pair.member().join() == join) {
                return pair;
            }
        }
        return null;
    }

    private void checkReached(Outbox out) {
        ViewId ballot = reachBallot;
        if (ballot == null) {
            return;
        }
        for (PeerStream pair : pairs) {
            if (pair.multicastIn.received() < cutOf(pair)) {
                return;
            }
        }
        reachBallot = null;
        out.disarm(FETCH_TIMER);
        out.lower(new Signal.Flushed(ballot));
    }

    /** Returns copies of packets that {@code sender} has sent in this view; null if it is not in the view. */
    @Nullable PacketRing copies(Member sender) {
        PeerStream pair = pairOf.get(sender);
        return sender.equals(self) ? ownCopies : pair == null ? null : pair.copies;
    }

    private void onRepair(Member from, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, view.id());
        PeerStream pair = pair(packet.takeLong(), packet.takeInt());
        long number = packet.takeLong();
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (!isCurrent || pair == null || isLate(pair, number)) {
            // Requested under an older ballot: its packet is not in the answer given since (decision D5).
            out.drop(packet, DropReason.LATE_REPAIR);
        } else if (!repairs.isAsked(from, pair.member())) {
            out.drop(packet, repairs.wasAsked(from) ? DropReason.LATE_REPAIR : DropReason.FORGED);
        } else if (number != pair.multicastIn.received() + 1) {
            out.drop(packet, number <= pair.multicastIn.received() ? DropReason.DUPLICATE : DropReason.GAP);
        } else {
            repairsReceived++;
            accept(pair, packet, out);
            out.arm(FETCH_TIMER, limits.fetchTimeoutNanos());
            checkReached(out);
        }
    }

    /** Expels holders that have sent none of the missing packets: without them the next ballot counts what there is. */
    private void expelHolders(Outbox out) {
        if (reachBallot == null) {
            return;
        }
        for (Member holder : repairs.owing()) {
            out.lower(new Signal.Expel(holder, "it has not sent what it was said to have, for ballot " + reachBallot));
        }
        out.arm(FETCH_TIMER, limits.fetchTimeoutNanos());
    }

    private boolean isLate(PeerStream pair, long number) {
        return reachBallot == null || number > cutOf(pair);
    }

    private void install(Signal.Installed installed, Outbox out) {
        View next = installed.view();
        Set<Member> part = next.transitionalSet(self);
        Set<Member> newcomers = next.newcomers();
        boolean isSelfNew = newcomers.contains(self);
        receipts.onInstalled(next, part, out);
        partings.onInstalled(view, part, pairs);
        repairs.startView(view, next);
        repairs.keep(self, ownCopies);
        ownCopies = new PacketRing();
        Map<Member, PeerStream> nextPairOf = new HashMap<>();
        List<PeerStream> nextPairs = new ArrayList<>();
        for (Member member : next.members()) {
            if (member.equals(self)) {
                continue;
            }
            PeerStream pair = pairOf.get(member);
            if (pair == null || !part.contains(member)) {
                boolean isFresh = isSelfNew || newcomers.contains(member);
                out.raise(new Signal.StreamReset(member, true));
                if (!isFresh) {
                    out.raise(new Signal.Window(member, 0, member));
                }
                PeerStream before = pair == null ? departed.get(member) : pair;
                pair = new PeerStream(member, next.id().number(), sentBytes, limits.windowBytes(), isFresh, before);
            }
            nextPairs.add(pair);
            nextPairOf.put(member, pair);
        }
        for (PeerStream pair : pairs) {
            pair.clearAhead(DropReason.OLD_VIEW, out);
            repairs.keep(pair.member(), pair.startView());
            if (nextPairOf.get(pair.member()) != pair) {
                receipts.onUnicastsEnded(pair, next, out);
                pair.free();
                departed.put(pair.member(), pair);
                if (!next.contains(pair.member())) {
                    out.raise(new Signal.StreamReset(pair.member(), false));
                }
            }
        }
        departed.values().removeIf(pair -> next.contains(pair.member()) || !pair.hasBacklog());
        pairs = nextPairs.toArray(PeerStream[]::new);
        pairOf = nextPairOf;
        own.startView();
        if (lost != null) {
            lost.startView();
        }
        stable = 0;
        announcedStable = 0;
        isAckNews = true;
        view = next;
        if (ring != null) {
            ring.startView(next);
        }
        reachBallot = null;
        // If a newer ballot is promised already, its Freeze follows at once, and held packets count in the answer.
        isFrozen = false;
        if (part.size() == 1) {
            repairs.freeOld();
        }
        partings.tell(next, part, out);
        // The window comes first: with the view the sender continues at once.
        announceWindow(out);
        out.raise(installed);
        List<Packet> due = held.takeUpTo(view.id().number());
        held.forgetStrangers(view, closed, out);
        closed.removeIf(member -> !view.contains(member));
        for (Packet packet : due) {
            Member from = packet.peer();
            if (from != null) {
                handle(packet.takeByte(), from, packet, out);
            }
        }
    }

    @Override
    public void onStop() {
        ownCopies.freeAll();
        for (PeerStream pair : pairs) {
            pair.free();
        }
        departed.values().forEach(PeerStream::free);
        repairs.freeOld();
        held.free();
    }

    /** Repeats unicasts that the previous session may have lost; both ends announce their numbers. */
    private void repeatUnicasts(Member member, Outbox out) {
        PeerStream pair = pairOf.get(member);
        if (pair == null) {
            return;
        }
        pair.mustAcknowledge = true;
        isAckNews = true;
        if (lost != null) {
            lost.onOpened(pair, out);
        }
        for (long number = pair.unicastOut.first(); number < pair.unicastOut.next(); number++) {
            Packet unacknowledged = pair.unicastOut.get(number);
            if (unacknowledged != null) {
                sendUnicast(pair, number, unacknowledged.copy(out.memory()), out);
            }
        }
    }

    /** Returns the number of the last packet that this member has multicast in this view. */
    long sentNumber() {
        return own.received();
    }

    // ------------------------------------------------------------------ turn end and timers

    @Override
    public void onTurnEnd(Outbox out) {
        if (isAckNews) {
            isAckNews = false;
            acknowledgeUrgent(out);
        }
        if (isWindowNews) {
            isWindowNews = false;
            updateStable();
            receipts.onAcknowledged(stable, out);
            announceWindow(out);
        }
        receipts.ask(out);
        if (pairs.length > 1 && stable > announcedStable && !out.isArmed(STABLE_TIMER)) {
            out.arm(STABLE_TIMER, limits.stableDelayNanos());
        }
        if (isLeaving && !isFrozen && isAllAcknowledged()) {
            leave(out);
        }
    }

    private void acknowledgeUrgent(Outbox out) {
        boolean isNews = false;
        long ackBytes = lost == null ? shared.ackBytes(SharedWindow.senders(pairs, out.nowNanos())) : lost.ackBytes();
        for (PeerStream pair : pairs) {
            if (pair.isUrgent() || pair.unacknowledgedBytes >= ackBytes) {
                acknowledge(pair, out);
            } else {
                isNews |= pair.hasNews();
            }
        }
        if (isNews && !out.isArmed(ACK_TIMER)) {
            out.arm(ACK_TIMER, limits.ackDelayNanos());
        }
    }

    @Override
    public void onTimer(int timer, Outbox out) {
        switch (timer) {
            case ACK_TIMER -> {
                for (PeerStream pair : pairs) {
                    if (pair.hasNews()) {
                        acknowledge(pair, out);
                    }
                }
            }
            case STABLE_TIMER -> {
                if (stable > announcedStable && !isFrozen) {
                    announcedStable = stable;
                    Packet packet = Packet.create(out.memory(), 64).prependLong(stable);
                    Wire.prependTag(packet, view.id());
                    out.send(packet.prependByte(STABLE));
                }
            }
            case NACK_TIMER, SENT_TIMER -> {
                if (lost != null) {
                    lost.onTimer(timer, out);
                }
            }
            case FETCH_TIMER -> expelHolders(out);
            case RING_TIMER -> {
                if (ring != null) {
                    ring.onTimer(out);
                }
            }
            case LEAVE_TIMER -> {
                if (isLeaving) {
                    leave(out);
                }
            }
            default -> throw new IllegalStateException("timer " + timer);
        }
    }

    private void acknowledge(PeerStream pair, Outbox out) {
        acksSent++;
        pair.onAnnounced();
        Packet ack = Packet.create(out.memory(), 0)
                .prependLong(pair.unicastIn.limitBytes())
                .prependLong(pair.unicastIn.received())
                .prependLong(pair.sinceView())
                .prependLong(pair.multicastIn.limitBytes())
                .prependLong(pair.multicastIn.received());
        Wire.prependTag(ack, view.id());
        out.send(ack.prependByte(ACK).withPeer(pair.member()));
    }

    private void updateStable() {
        long everybodyHas = own.received();
        for (PeerStream pair : pairs) {
            everybodyHas = Math.min(everybodyHas, pair.acknowledged);
        }
        stable = everybodyHas;
        ownCopies.freeUpTo(stable);
        if (lost != null) {
            lost.onStable(stable);
        }
    }

    /** Announces the window for multicasts, which the slowest member, this one included, determines. */
    private void announceWindow(Outbox out) {
        long limitBytes = own.limitBytes();
        Member waitsFor = self;
        for (PeerStream pair : pairs) {
            long pairLimitBytes = pair.multicastBaseBytes + pair.multicastLimitBytes;
            if (pairLimitBytes < limitBytes) {
                limitBytes = pairLimitBytes;
                waitsFor = pair.member();
            }
        }
        long sharedBytes = Long.MAX_VALUE;
        if (lost != null && pairs.length > 0) {
            sharedBytes = lost.limitBytes(sentBytes, out);
        } else if (pairs.length > 0 && (ring == null || !ring.isChosen())) {
            int senders = SharedWindow.senders(pairs, out.nowNanos());
            sharedBytes = shared.limitBytes(sentBytes, ownCopies, senders);
        }
        if (sharedBytes < limitBytes) {
            limitBytes = sharedBytes;
            // It opens as the others acknowledge, never by what this member consumes.
            waitsFor = waitsFor.equals(self) ? SharedWindow.slowest(pairs) : waitsFor;
        }
        // Announced at once, however little it is: no later acknowledgement would do it.
        if (toSelf.isNews()) {
            toSelf.onAnnounced();
            out.raise(new Signal.Window(self, toSelf.limitBytes(), null));
        }
        if (limitBytes != windowLimitBytes || !waitsFor.equals(windowWaitsFor)) {
            windowLimitBytes = limitBytes;
            windowWaitsFor = waitsFor;
            out.raise(new Signal.Window(null, limitBytes, waitsFor));
        }
    }

    private boolean isAllAcknowledged() {
        return Arrays.stream(pairs).allMatch(pair -> own.received() <= pair.acknowledged && pair.unicastOut.size() == 0);
    }

    private void leave(Outbox out) {
        isLeaving = false;
        out.disarm(LEAVE_TIMER);
        out.lower(new Signal.Leave());
    }

    @Override
    public void report(Report report) {
        Report section = report.section("reliability");
        section.put("sent-packets", packetsSent);
        section.put("sent-bytes", sentBytes);
        section.put("received-packets", packetsReceived);
        section.put("acks-sent", acksSent);
        section.put("repairs-sent", repairs.sent());
        section.put("repairs-received", repairsReceived);
        if (lost != null) {
            lost.report(section);
        }
        if (ring != null) {
            ring.report(section);
        }
        section.put("unstable-packets", ownCopies.size());
        section.put("unstable-bytes", ownCopies.bytes());
        section.put("held-packets", held.size());
        section.put("window-bytes", limits.windowBytes());
        section.put("window-open-bytes", windowLimitBytes - sentBytes);
        Member waitsFor = windowWaitsFor;
        section.put("window-bounded-by", waitsFor == null ? self.name() : waitsFor.name());
        for (PeerStream pair : pairs) {
            pair.report(section.section(pair.member().name()));
        }
    }
}
