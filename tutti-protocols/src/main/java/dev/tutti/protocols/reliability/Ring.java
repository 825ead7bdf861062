package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.reliability.buffer.OutOfOrderBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Dissemination of multicasts from member to member in the order of the view, up to the member before the sender.
 *
 * <p>Every link then carries a multicast once, whatever the number of members, whereas a sender that reaches all by
 * itself uses its own link n - 1 times. Many senders use all links at once, so that a round brings about one message of
 * each: X messages are with all after X + n - 2 rounds (Guerraoui, Levy, Pochon, Quéma, "Throughput optimal total order
 * broadcast for cluster environments", ACM TOCS 28(2), 2010). The price is the time of n - 1 hops for the last
 * receiver.
 *
 * <p>Acknowledgements go straight to the sender, which learns from them where the ring is slow, and feeds the members
 * behind that place itself ({@link RingBypass}). A packet carries the end of its path: its sender, or a member that gets
 * it from its sender. So each member gets each packet on some path; if on several, the first one in order counts.
 * Packets of one sender on two paths may overtake each other: those that come too early wait ({@link OutOfOrderBuffer}).
 *
 * <p>A member that fails breaks the ring: its neighbours lose their sessions with it, the view changes, missing packets
 * are fetched from their holders as after any crash, and the next view has another ring.
 */
final class Ring {

    private final PeerStreams streams;
    private final SentMulticasts sent;
    private final SharedWindow shared;
    private final long windowBytes;
    private final long lookNanos;
    private final @Nullable RingChoice choice;

    private List<Member> members = List.of();
    private int rank;
    private RingBypass bypass = new RingBypass(new PeerStream[0]);

    /** Number of the last packet that went round. */
    private long lastRound;

    private long passedOn;
    private long skips;
    private long given;
    private long overtakers;
    private long changes;

    Ring(
            PeerStreams streams,
            SentMulticasts sent,
            SharedWindow shared,
            Reliability.Limits limits,
            Reliability.Round round) {
        this.streams = streams;
        this.sent = sent;
        this.shared = shared;
        this.windowBytes = limits.windowBytes();
        // A receiver may delay its acknowledgement for that long.
        this.lookNanos = round.patienceNanos() + limits.ackDelayNanos();
        this.choice = round.isTried() ? new RingChoice() : null;
    }

    void startView() {
        members = streams.view().members();
        rank = members.indexOf(streams.self());
        PeerStream[] way = new PeerStream[members.size() - 1];
        for (int index = 0; index < way.length; index++) {
            way[index] = streams.get(members.get((rank + 1 + index) % members.size()));
        }
        bypass = new RingBypass(way);
        lastRound = 0;
        if (choice != null) {
            choice.startView();
        }
    }

    void onProcessor(boolean isBusy) {
        if (choice != null) {
            choice.onProcessor(isBusy);
        }
    }

    // ------------------------------------------------------------------ sending

    /** Returns whether packets sent now go round the ring. */
    boolean isChosen() {
        return choice == null || choice.isRing();
    }

    /** Prepares for a packet of this member, on whatever path. */
    void beforeSend(Outbox out) {
        if (members.size() > 2 && !out.isArmed(ReliabilityTimer.RING)) {
            bypass.note(sent.number());
            out.arm(ReliabilityTimer.RING, lookNanos);
        }
    }

    /** Sends a packet of this member round, which has number and stable number before its payload. */
    void send(Packet packet, Outbox out) {
        lastRound = sent.number();
        if (bypass.passedOver() > 0) {
            for (int index = 1; index < members.size() - 1; index++) {
                if (bypass.isFed(index)) {
                    bypass.onGiven(index, sent.number());
                    give(index, packet.copy(out.memory()), out);
                }
            }
        }
        give(0, packet, out);
    }

    /** Sends a packet to the member at {@code index} of the ring, for it and those up to the next fed member. */
    private void give(int index, Packet packet, Outbox out) {
        int end = (rank + 1 + bypass.fedBehind(index)) % members.size();
        send(rank, end, packet, members.get((rank + 1 + index) % members.size()), out);
    }

    private void send(int origin, int end, Packet packet, Member receiver, Outbox out) {
        packet.prependInt(end).prependInt(origin);
        Wire.prependTag(packet, streams.view().id());
        out.send(packet.prependByte(PacketKind.RELAYED).withPeer(receiver));
    }

    // ------------------------------------------------------------------ passing on

    /** Returns whether a packet may come from a member: only its origin and this member's predecessor may send it. */
    boolean mayPass(Member from, Member origin) {
        return from.equals(members.get((rank == 0 ? members.size() : rank) - 1)) || from.equals(origin);
    }

    /** Passes on a packet of the member with rank {@code origin}, unless its path ends before the next member. */
    void pass(int origin, int end, long number, long stable, Packet packet, Outbox out) {
        int next = next();
        if (next == origin || next == end) {
            return;
        }
        passedOn++;
        // Copied, because the bytes before a received packet belong to the buffer it came in and must not be written.
        Packet copy = packet.copy(out.memory()).prependLong(stable).prependLong(number);
        send(origin, end, copy, members.get(next), out);
    }

    private int next() {
        return (rank + 1) % members.size();
    }

    /** Takes a packet that overtook an earlier one on another path; {@code origin} is -1 if it came by no ring. */
    void onOvertaking(PeerStream pair, Member from, int origin, int end, long number, long stable, Packet packet, Outbox out) {
        overtakers++;
        OutOfOrderBuffer ahead = pair.ahead();
        if (ahead.contains(number)) {
            out.drop(packet, DropReason.DUPLICATE);
            return;
        }
        Packet early = packet.copy(out.memory())
                .prependLong(stable)
                .prependInt(origin == -1 ? next() : end)
                .prependInt(origin);
        if (ahead.keep(number, early, windowBytes)) {
            packet.release();
        } else {
            // A sender that keeps to its window has less in flight. The packet would be missing for ever; without the
            // session, a view change compensates for it.
            early.release();
            out.drop(packet, DropReason.HELD_FULL);
            out.lower(new Signal.Peer.Expel(from, "it has sent more of " + pair.member() + " than its window allows"));
        }
    }

    /** Passes on a packet kept by {@link #onOvertaking}, of which the next multicast of {@code pair} is left. */
    void passAhead(PeerStream pair, Packet packet, Outbox out) {
        int origin = packet.takeInt();
        int end = packet.takeInt();
        long stable = packet.takeLong();
        pass(origin, end, pair.multicastIn.received() + 1, stable, packet, out);
    }

    // ------------------------------------------------------------------ looking

    void onTimer(Outbox out) {
        if (members.size() <= 2) {
            return;
        }
        long shareBytes = shared.bytes(SharedWindow.senders(streams.all(), out.nowNanos()));
        boolean isHeldUp = sent.copies().bytes() >= shareBytes / 2;
        if (choice != null && choice.look(isHeldUp, sent.bytes(), out.nowNanos(), members.size())) {
            changes++;
        }
        if (sent.stable() < lastRound) {
            look(out);
        } else {
            // Packets sent to all at once wait for no neighbour.
            bypass.note(sent.number());
        }
        if (sent.copies().size() > 0) {
            out.arm(ReliabilityTimer.RING, lookNanos);
        }
    }

    private void look(Outbox out) {
        long last = sent.number();
        boolean[] wasFed = new boolean[members.size() - 1];
        for (int index = 0; index < wasFed.length; index++) {
            wasFed[index] = bypass.isFed(index);
        }
        skips += bypass.look(last);
        for (int index = 1; index < wasFed.length; index++) {
            if (bypass.isFed(index) && !wasFed[index]) {
                for (long number = bypass.missing(index); number <= last; number++) {
                    repeat(index, number, out);
                }
                bypass.onGiven(index, last);
            }
        }
    }

    /** Repeats a packet that may be stuck at a bypassed member. */
    private void repeat(int index, long number, Outbox out) {
        Packet kept = sent.copies().get(number);
        if (kept != null) {
            given++;
            give(index, kept.copy(out.memory()).prependLong(sent.stable()).prependLong(number), out);
        }
    }

    void report(Report section) {
        section.put("dissemination", isChosen() ? "ring" : "fan-out");
        section.put("ring-changes", changes);
        section.put("ring-passed-on", passedOn);
        section.put("ring-late-members", bypass.passedOver());
        section.put("ring-skips", skips);
        section.put("ring-repeats", given);
        section.put("ring-overtakers", overtakers);
    }
}
