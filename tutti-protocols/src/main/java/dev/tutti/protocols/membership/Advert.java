package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Packet;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * What a member tells those it has sessions with, at once when it changes. Ballots are started from adverts; a stale one
 * costs a refusal or another ballot, never safety.
 *
 * @param view the installed view
 * @param members of that view
 * @param promised the highest ballot answered or started
 * @param follows whom the member takes for its coordinator
 * @param heard with whom it has a session
 * @param lost with whom a session was closed since {@code promised} last rose
 * @param joined number of the first view of two or more that the member was in; {@link #NOT_YET} before
 */
record Advert(
        ViewId view,
        List<Member> members,
        ViewId promised,
        Member follows,
        TreeSet<Member> heard,
        TreeSet<Member> lost,
        long joined) {

    static final long NOT_YET = Long.MAX_VALUE;

    void appendTo(Packet packet) {
        Wire.append(packet, view);
        Wire.append(packet, members);
        Wire.append(packet, promised);
        Wire.append(packet, follows);
        Wire.append(packet, new ArrayList<>(heard));
        Wire.append(packet, new ArrayList<>(lost));
        packet.appendLong(joined);
    }

    static Advert takeFrom(Packet packet, Members known) {
        return new Advert(
                Wire.takeViewId(packet, known),
                Wire.takeMembers(packet, known),
                Wire.takeViewId(packet, known),
                Wire.takeMember(packet, known),
                new TreeSet<>(Wire.takeMembers(packet, known)),
                new TreeSet<>(Wire.takeMembers(packet, known)),
                packet.takeLong());
    }
}
