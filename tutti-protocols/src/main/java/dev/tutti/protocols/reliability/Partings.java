package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.Outbox;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Members of a previous view that did not come along to the next, and the number of their multicasts that this one has
 * delivered there. Each is told when the two meet again: a member that was cut off has no other way to learn which of
 * its multicasts were delivered ({@link Receipts#onDelivered}).
 */
final class Partings {

    private record Parting(ViewId view, long delivered) {}

    /** Number of members remembered; beyond, the one that parted first is forgotten. */
    private static final int PARTINGS_MAX = 4_096;

    private final Map<Member, Parting> partings = new LinkedHashMap<>();

    /**
     * Notes that a view follows {@code before}, in which {@code pairs} were the others.
     *
     * @param part members that come along, this one included
     */
    void onInstalled(View before, Set<Member> part, PeerStream[] pairs) {
        for (PeerStream pair : pairs) {
            partings.remove(pair.member());
            if (!part.contains(pair.member())) {
                partings.put(pair.member(), new Parting(before.id(), pair.multicastIn.received()));
            }
        }
        while (partings.size() > PARTINGS_MAX) {
            partings.remove(partings.keySet().iterator().next());
        }
    }

    /** Tells the members of {@code view} that come from other parts. */
    void tell(View view, Set<Member> part, Outbox out) {
        if (partings.isEmpty()) {
            return;
        }
        for (Member member : view.members()) {
            Parting parting = part.contains(member) ? null : partings.get(member);
            if (parting != null) {
                Packet packet = Packet.create(out.memory(), 0).prependLong(parting.delivered());
                Wire.prependTag(packet, parting.view());
                Wire.prependTag(packet, view.id());
                out.send(packet.prependByte(PacketKind.DELIVERED).withPeer(member));
            }
        }
    }
}
