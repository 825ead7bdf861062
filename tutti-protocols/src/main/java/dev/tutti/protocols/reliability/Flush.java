package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Completion of a view up to the cut of a ballot: packets that this member lacks are fetched from the holders that the
 * cut names, including those of senders that leave (decisions D1, D2). When it has all of them, {@code Flushed} tells
 * the membership. {@link Repairs} is the other end.
 */
final class Flush {

    /** Number of senders in one FETCH: as many as fit into a packet with the longest names. */
    static final int SENDERS_MAX = 32;

    private final PeerStreams streams;
    private final ReceivedMulticasts received;
    private final long timeoutNanos;

    /** Ballot under which packets are missing; null if none runs. */
    private @Nullable ViewId ballot;

    /** Number of the last packet of each sender that this view delivers, under the ballot last promised. */
    private TreeMap<Member, Long> cut = new TreeMap<>();

    /** Holder asked for each sender's packets, under that ballot; below, all holders asked in the view. */
    private TreeMap<Member, Member> asked = new TreeMap<>();

    private final TreeSet<Member> everAsked = new TreeSet<>();
    private long repairs;

    /** @param timeoutNanos time without any repair after which a holder that was asked is expelled */
    Flush(PeerStreams streams, ReceivedMulticasts received, long timeoutNanos) {
        this.streams = streams;
        this.received = received;
        this.timeoutNanos = timeoutNanos;
    }

    void startView() {
        ballot = null;
        asked = new TreeMap<>();
        everAsked.clear();
    }

    /** Asks the holders for the packets that are missing up to the cut. */
    void start(ViewId ofBallot, TreeMap<Member, Long> toCut, TreeMap<Member, Member> holders, Outbox out) {
        ballot = ofBallot;
        cut = toCut;
        TreeMap<Member, List<Member>> sendersOf = new TreeMap<>();
        asked = new TreeMap<>();
        for (PeerStream pair : streams.all()) {
            Member holder = holders.get(pair.member());
            if (isBehind(pair) && holder != null) {
                asked.put(pair.member(), holder);
                everAsked.add(holder);
                sendersOf.computeIfAbsent(holder, key -> new ArrayList<>()).add(pair.member());
            }
        }
        sendersOf.forEach((holder, senders) -> {
            for (int from = 0; from < senders.size(); from += SENDERS_MAX) {
                fetch(holder, senders.subList(from, Math.min(senders.size(), from + SENDERS_MAX)), out);
            }
        });
        out.arm(ReliabilityTimer.FETCH, timeoutNanos);
        check(out);
    }

    private void fetch(Member holder, List<Member> senders, Outbox out) {
        Packet fetch = Packet.create(out.memory(), Packet.PAYLOAD_MAX);
        fetch.appendByte(PacketKind.FETCH);
        Wire.append(fetch, streams.view().id());
        fetch.appendInt(senders.size());
        for (Member sender : senders) {
            PeerStream pair = streams.get(sender);
            Wire.append(fetch, sender);
            fetch.appendLong(pair.multicastIn.received() + 1);
            fetch.appendLong(cutOf(pair));
        }
        Packet compact = fetch.copy(out.memory()).withPeer(holder);
        fetch.release();
        out.send(compact);
    }

    /** Stops because another ballot is promised: repairs requested for this one come too late (decision D5). */
    void stop(Outbox out) {
        ballot = null;
        out.disarm(ReliabilityTimer.FETCH);
    }

    private void check(Outbox out) {
        ViewId complete = ballot;
        if (complete == null) {
            return;
        }
        for (PeerStream pair : streams.all()) {
            if (isBehind(pair)) {
                return;
            }
        }
        stop(out);
        out.lower(new Signal.ViewChange.Flushed(complete));
    }

    /** Takes a packet that was fetched. */
    void onRepair(Member from, Packet packet, Outbox out) {
        boolean isCurrent = Wire.takesTag(packet, streams.view().id());
        PeerStream pair = streams.of(packet.takeLong(), packet.takeInt());
        long number = packet.takeLong();
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
            return;
        }
        if (!isCurrent || pair == null) {
            out.drop(packet, DropReason.LATE_REPAIR);
            return;
        }
        DropReason objection = objection(from, pair, number);
        if (objection != null) {
            out.drop(packet, objection);
            return;
        }
        repairs++;
        received.accept(pair, packet, out);
        out.arm(ReliabilityTimer.FETCH, timeoutNanos);
        check(out);
    }

    /** Returns the reason not to accept a repair; null if it is the next packet that was requested. */
    private @Nullable DropReason objection(Member from, PeerStream pair, long number) {
        if (ballot == null || number > cutOf(pair)) {
            // Requested under an older ballot: its packet is not in the answer given since (decision D5).
            return DropReason.LATE_REPAIR;
        }
        if (!from.equals(asked.get(pair.member()))) {
            // A member that was asked for anything in this view may be answering an older request.
            return everAsked.contains(from) ? DropReason.LATE_REPAIR : DropReason.FORGED;
        }
        long last = pair.multicastIn.received();
        if (number != last + 1) {
            return number <= last ? DropReason.DUPLICATE : DropReason.GAP;
        }
        return null;
    }

    /** Expels holders that have sent none of the missing packets: without them the next ballot counts what there is. */
    void onTimer(Outbox out) {
        if (ballot == null) {
            return;
        }
        for (Member holder : owing()) {
            out.lower(new Signal.Peer.Expel(holder, "it has not sent what it was said to have, for ballot " + ballot));
        }
        out.arm(ReliabilityTimer.FETCH, timeoutNanos);
    }

    private TreeSet<Member> owing() {
        TreeSet<Member> owing = new TreeSet<>();
        asked.forEach((sender, holder) -> {
            if (isBehind(streams.get(sender))) {
                owing.add(holder);
            }
        });
        return owing;
    }

    /** Returns the number of repairs accepted. */
    long repairs() {
        return repairs;
    }

    private boolean isBehind(PeerStream pair) {
        return pair.multicastIn.received() < cutOf(pair);
    }

    private long cutOf(PeerStream pair) {
        return cut.getOrDefault(pair.member(), 0L);
    }
}
