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
 * Members that this one was in a view with and that did not come along to the next, and how many of their multicasts it has
 * delivered there. Each is told when the two meet again: nothing else tells a member that was cut off what became of what
 * it sent ({@link Receipts#onDelivered}).
 */
final class Partings {

    private record Parting(ViewId view, long delivered) {}

    /** Members remembered; the one that went first is forgotten for one more. */
    private static final int PARTINGS_MAX = 4_096;

    private final Map<Member, Parting> partings = new LinkedHashMap<>();

    /**
     * A view follows {@code before}, in which {@code pairs} were the others.
     *
     * @param part the members that come along, this one included
     */
    void onInstalled(View before, Set<Member> part, Pair[] pairs) {
        for (Pair pair : pairs) {
            partings.remove(pair.member());
            if (!part.contains(pair.member())) {
                partings.put(pair.member(), new Parting(before.id(), pair.multicastIn.received()));
            }
        }
        while (partings.size() > PARTINGS_MAX) {
            partings.remove(partings.keySet().iterator().next());
        }
    }

    /** Tells the members of {@code view} that come from elsewhere. */
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
                out.send(packet.prependByte(Reliability.DELIVERED).withPeer(member));
            }
        }
    }
}
