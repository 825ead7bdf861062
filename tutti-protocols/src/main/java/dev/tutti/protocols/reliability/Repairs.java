package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Part of {@link Reliability} that fetches missing packets, and serves other members' fetches from the copies of this
 * view, and from those of the previous view until all have followed (decision D9).
 */
final class Repairs {

    /** Number of senders in one FETCH: as many as fit into a packet with the longest names. */
    static final int SENDERS_MAX = 32;

    private final Reliability layer;
    private final Members known = new Members();

    /** Copies of the previous view, by sender. */
    private TreeMap<Member, PacketRing> oldCopies = new TreeMap<>();

    private @Nullable View oldView;

    /** Holder asked for each sender's packets, under the ballot last promised; below, all holders asked in the view. */
    private TreeMap<Member, Member> asked = new TreeMap<>();

    private final TreeSet<Member> everAsked = new TreeSet<>();
    private long sent;

    Repairs(Reliability layer) {
        this.layer = layer;
    }

    /** Starts a view. The copies of the one that ends, given by {@link #keep}, replace those of its predecessor. */
    void startView(View ended, View next) {
        next.members().forEach(known::add);
        freeOld();
        oldView = ended;
        asked = new TreeMap<>();
        everAsked.clear();
    }

    void keep(Member sender, @Nullable PacketRing copies) {
        if (copies != null) {
            oldCopies.put(sender, copies);
        }
    }

    void freeOld() {
        oldCopies.values().forEach(PacketRing::freeAll);
        oldCopies = new TreeMap<>();
        oldView = null;
    }

    /** Asks the holders for packets missing up to the cut, including those of senders that leave (decisions D1, D2). */
    void fetch(TreeMap<Member, Member> holders, Outbox out) {
        TreeMap<Member, List<Member>> sendersOf = new TreeMap<>();
        asked = new TreeMap<>();
        for (PeerStream pair : layer.pairs) {
            Member holder = holders.get(pair.member());
            if (pair.multicastIn.received() < layer.cutOf(pair) && holder != null) {
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
    }

    private void fetch(Member holder, List<Member> senders, Outbox out) {
        Packet fetch = Packet.create(out.memory(), Packet.PAYLOAD_MAX);
        fetch.appendByte(Reliability.FETCH);
        Wire.append(fetch, layer.view.id());
        fetch.appendInt(senders.size());
        for (Member sender : senders) {
            PeerStream pair = layer.pair(sender);
            Wire.append(fetch, sender);
            fetch.appendLong(pair.multicastIn.received() + 1);
            fetch.appendLong(layer.cutOf(pair));
        }
        Packet compact = fetch.copy(out.memory()).withPeer(holder);
        fetch.release();
        out.send(compact);
    }

    /** Returns whether a holder was asked for a sender's packets. */
    boolean isAsked(Member holder, Member sender) {
        return holder.equals(asked.get(sender));
    }

    /** Returns the holders that were asked for packets that have not come. */
    TreeSet<Member> owing() {
        TreeSet<Member> owing = new TreeSet<>();
        asked.forEach((sender, holder) -> {
            PeerStream pair = layer.pair(sender);
            if (pair.multicastIn.received() < layer.cutOf(pair)) {
                owing.add(holder);
            }
        });
        return owing;
    }

    /** Returns whether a member was asked for anything in this view: its repairs may answer an older request. */
    boolean wasAsked(Member holder) {
        return everAsked.contains(holder);
    }

    /** Serves members of the requested view; no other member has a right to its packets. */
    void onFetch(Member from, Packet packet, Outbox out) {
        ViewId wanted = Wire.takeViewId(packet, known);
        View of = wanted.equals(layer.view.id()) ? layer.view : oldView;
        if (of != null && of.id().equals(wanted) && !of.contains(from)) {
            out.drop(packet, DropReason.FORGED);
            return;
        }
        int count = packet.takeCount(Wire.MEMBER_BYTES_MIN + 16);
        // A repeated sender would make a window be copied as often.
        TreeMap<Member, Long> asked = new TreeMap<>();
        for (int index = 0; index < count && !packet.isMalformed(); index++) {
            Member sender = Wire.takeMember(packet, known);
            long first = packet.takeLong();
            if (index >= SENDERS_MAX || asked.put(sender, first) != null) {
                packet.markMalformed();
            }
            long last = packet.takeLong();
            PacketRing copies = copies(wanted, sender);
            if (packet.isMalformed() || copies == null) {
                continue;
            }
            long end = Math.min(last, copies.next() - 1);
            for (long number = Math.max(first, copies.first()); number <= end; number++) {
                Packet copy = copies.get(number);
                if (copy != null) {
                    repair(from, wanted, sender, number, copy, out);
                }
            }
        }
        if (packet.isMalformed()) {
            out.drop(packet, DropReason.MALFORMED);
        } else {
            packet.release();
        }
    }

    private @Nullable PacketRing copies(ViewId wanted, Member sender) {
        return wanted.equals(layer.view.id())
                ? layer.copies(sender)
                : oldView != null && wanted.equals(oldView.id()) ? oldCopies.get(sender) : null;
    }

    private void repair(Member receiver, ViewId wanted, Member sender, long number, Packet copy, Outbox out) {
        sent++;
        // The header has a fixed size within the headroom, so that a full packet still fits into a frame.
        Packet repair = copy.copy(out.memory())
                .prependLong(number)
                .prependInt(sender.join())
                .prependLong(sender.node().incarnation());
        Wire.prependTag(repair, wanted);
        out.send(repair.prependByte(Reliability.REPAIR).withPeer(receiver));
    }

    long sent() {
        return sent;
    }
}
