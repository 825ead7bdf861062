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
 * The part of {@link Reliability} that fetches what this member misses, and serves those who fetch what they miss: from
 * the copies of this view, and from those of the view before until all have followed (decision D9).
 */
final class Repairs {

    /** Senders in one FETCH: as many as fit into a packet with the longest names. */
    static final int SENDERS_MAX = 32;

    private final Reliability layer;
    private final Members known = new Members();

    /** By sender, the copies of the view before. */
    private TreeMap<Member, PacketRing> oldCopies = new TreeMap<>();

    private @Nullable View oldView;

    /** Whom this member has asked for packets of each sender, under the ballot last promised; and all whom it has asked in the view. */
    private TreeMap<Member, Member> asked = new TreeMap<>();

    private final TreeSet<Member> everAsked = new TreeSet<>();
    private long sent;

    Repairs(Reliability layer) {
        this.layer = layer;
    }

    /** A view ends: its copies, given by {@link #keep}, take the place of those of the view before it. */
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

    /** Asks the holders for what is missing up to the cut, senders that leave included (decisions D1, D2). */
    void fetch(TreeMap<Member, Member> holders, Outbox out) {
        TreeMap<Member, List<Member>> sendersOf = new TreeMap<>();
        asked = new TreeMap<>();
        for (Pair pair : layer.pairs) {
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
            Pair pair = layer.pair(sender);
            Wire.append(fetch, sender);
            fetch.appendLong(pair.multicastIn.received() + 1);
            fetch.appendLong(layer.cutOf(pair));
        }
        Packet compact = fetch.copy(out.memory()).withPeer(holder);
        fetch.release();
        out.send(compact);
    }

    /** Whether a holder was asked for what a sender has sent. */
    boolean isAsked(Member holder, Member sender) {
        return holder.equals(asked.get(sender));
    }

    /** Those who were asked for what has not come. */
    TreeSet<Member> owing() {
        TreeSet<Member> owing = new TreeSet<>();
        asked.forEach((sender, holder) -> {
            Pair pair = layer.pair(sender);
            if (pair.multicastIn.received() < layer.cutOf(pair)) {
                owing.add(holder);
            }
        });
        return owing;
    }

    /** Whether a member was asked for anything in this view: what it sends may answer an older question. */
    boolean wasAsked(Member holder) {
        return everAsked.contains(holder);
    }

    /** Serves members of the view that is asked for; nobody else has a right to what was sent in it. */
    void onFetch(Member from, Packet packet, Outbox out) {
        ViewId wanted = Wire.takeViewId(packet, known);
        View of = wanted.equals(layer.view.id()) ? layer.view : oldView;
        if (of != null && of.id().equals(wanted) && !of.contains(from)) {
            out.drop(packet, DropReason.FORGED);
            return;
        }
        int count = packet.takeCount(Wire.MEMBER_BYTES_MIN + 16);
        // Asked for again and again, a window would be copied as often.
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
        // A header of fixed size within the headroom: a full packet must still fit into a frame.
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
