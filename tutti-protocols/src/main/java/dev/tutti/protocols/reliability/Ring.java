package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.Outbox;
import dev.tutti.protocols.mistake.Mistake;

/**
 * The way of a multicast that goes from member to member in the order of the view, round to the one before its sender.
 *
 * <p>Every link then carries it once, whatever the number of members, where a sender that reaches all by itself needs its
 * own link n - 1 times. Many senders use all links at once, so that a round brings about one message of each: X messages
 * are with all after X + n - 2 rounds (Guerraoui, Levy, Pochon, Quéma, "Throughput optimal total order broadcast for
 * cluster environments", ACM TOCS 28(2), 2010). The price is the time of n - 1 hops for the last receiver.
 *
 * <p>Acknowledgements go straight to the sender. A member that fails breaks the ring: its neighbours lose their sessions
 * with it, the view changes, what some have is fetched from them as after any crash, and the next view has another ring.
 */
final class Ring {

    private final Member self;
    private final Mistake mistake;
    private int rank;
    private int size;
    private Member next;

    Ring(Member self, Mistake mistake) {
        this.self = self;
        this.mistake = mistake;
        this.next = self;
    }

    void startView(View view) {
        if (mistake == Mistake.KEEP_ROUTE && size > 2) {
            return;
        }
        size = view.size();
        rank = view.members().indexOf(self);
        next = view.members().get((rank + 1) % size);
    }

    /** Starts a packet of this member, which has number and stable number before its payload. */
    void send(Packet packet, View view, Outbox out) {
        send(rank, packet, view, out);
    }

    /** Passes on a packet of the member with rank {@code origin}, unless all have it. */
    void pass(int origin, long number, long stable, Packet packet, View view, Outbox out) {
        if ((rank + 1) % size == origin) {
            return;
        }
        // In memory of its own: before what was received stands what it was received with, which is not ours to write.
        Packet copy = packet.copy(out.memory()).prependLong(stable).prependLong(number);
        send(origin, copy, view, out);
    }

    private void send(int origin, Packet packet, View view, Outbox out) {
        packet.prependInt(origin);
        Wire.prependTag(packet, view.id());
        out.send(packet.prependByte(Reliability.RELAYED).withPeer(next));
    }
}
