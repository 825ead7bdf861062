package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Packet;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
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

    private @Nullable ViewId oldView;
    private long sent;

    Repairs(Reliability layer) {
        this.layer = layer;
    }

    /** A view ends: its copies, given by {@link #keep}, take the place of those of the view before it. */
    void startView(ViewId ended) {
        freeOld();
        oldView = ended;
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
        for (Pair pair : layer.pairs) {
            Member holder = holders.get(pair.member());
            if (pair.multicastIn.received() < layer.cutOf(pair) && holder != null) {
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

    void onFetch(Member from, Packet packet, Outbox out) {
        ViewId wanted = Wire.takeViewId(packet, known);
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
                : wanted.equals(oldView) ? oldCopies.get(sender) : null;
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
