package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Packet;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Statement of a member about itself. Ballots are started from adverts. A stale one costs a refusal or another ballot
 * but never safety, so each is sent only to the members that need it (docs/design/membership.md, section Adverts).
 *
 * @param view the installed view
 * @param promised the highest ballot answered or started
 * @param follows the member that it regards as its coordinator
 * @param joined number of the first view of two or more that the member was in; {@link #NOT_YET} before, or {@link #OUTSIDE}
 */
record Advert(ViewId view, ViewId promised, Member follows, long joined) {

    /** Content sent along with an advert. */
    sealed interface Detail {}

    record Nothing() implements Detail {}

    /** Sent to a member that is followed from now on: all members with a session, and all that were lost. */
    record Heard(List<Member> heard, List<Member> lost) implements Detail {}

    /** Sent to the member that is followed: changes since the last advert. Lost members are named again. */
    record Changes(List<Member> opened, List<Member> closed, List<Member> lost) implements Detail {}

    /** Sent to a member that has asked: the members of the view. */
    record Listed(List<Member> members) implements Detail {}

    static final long NOT_YET = Long.MAX_VALUE;

    /** Value of {@link #joined} of a member outside of the primary partition, however old it was in it. */
    static final long OUTSIDE = Long.MAX_VALUE - 1;

    private static final int NOTHING = 0;
    private static final int HEARD = 1;
    private static final int CHANGES = 2;
    private static final int LISTED = 3;

    /** Returns whether a member that knows {@code other} needs this one: only the coordinator cares about a promise. */
    boolean saysMoreThan(Advert other) {
        return joined != other.joined || !view.equals(other.view) || !follows.equals(other.follows);
    }

    /** Returns whether this was sent outside of the primary partition, after {@code installed} had been promised. */
    boolean isOutsideSince(ViewId installed) {
        return isOutsideSince(joined, promised, installed);
    }

    static boolean isOutsideSince(long joined, ViewId promised, ViewId installed) {
        return joined == OUTSIDE && !installed.isAfter(promised);
    }

    void appendTo(Packet packet, Detail detail) {
        Wire.append(packet, view);
        Wire.append(packet, promised);
        Wire.append(packet, follows);
        packet.appendLong(joined);
        switch (detail) {
            case Nothing() -> packet.appendByte(NOTHING);
            case Heard(List<Member> heard, List<Member> lost) -> {
                packet.appendByte(HEARD);
                Wire.append(packet, heard);
                Wire.append(packet, lost);
            }
            case Changes(List<Member> opened, List<Member> closed, List<Member> lost) -> {
                packet.appendByte(CHANGES);
                Wire.append(packet, opened);
                Wire.append(packet, closed);
                Wire.append(packet, lost);
            }
            case Listed(List<Member> members) -> {
                packet.appendByte(LISTED);
                Wire.append(packet, members);
            }
        }
    }

    /** Returns the bytes that {@link #appendTo} takes at most. */
    long bytesMax(Detail detail) {
        long bytes = 64 + 3L * Wire.bytesMax(follows) + Wire.bytesMax(view.proposer()) + Wire.bytesMax(promised.proposer());
        return bytes
                + switch (detail) {
                    case Nothing() -> 0;
                    case Heard(List<Member> heard, List<Member> lost) -> bytesMax(heard) + bytesMax(lost);
                    case Changes(List<Member> opened, List<Member> closed, List<Member> lost) ->
                        bytesMax(opened) + bytesMax(closed) + bytesMax(lost);
                    case Listed(List<Member> members) -> bytesMax(members);
                };
    }

    static long bytesMax(Collection<Member> members) {
        long bytes = 0;
        for (Member member : members) {
            bytes += Wire.bytesMax(member);
        }
        return bytes;
    }

    static Advert takeFrom(Packet packet, Members known) {
        return new Advert(
                Wire.takeViewId(packet, known),
                Wire.takeViewId(packet, known),
                Wire.takeMember(packet, known),
                packet.takeLong());
    }

    static Detail takeDetail(Packet packet, Members known) {
        return switch (packet.takeByte()) {
            case NOTHING -> new Nothing();
            case HEARD -> new Heard(Wire.takeMembers(packet, known), Wire.takeMembers(packet, known));
            case CHANGES ->
                new Changes(
                        Wire.takeMembers(packet, known),
                        Wire.takeMembers(packet, known),
                        Wire.takeMembers(packet, known));
            case LISTED -> new Listed(Wire.takeMembers(packet, known));
            default -> {
                packet.markMalformed();
                yield new Nothing();
            }
        };
    }

    static Heard heard(Collection<Member> heard, Collection<Member> lost) {
        return new Heard(new ArrayList<>(heard), new ArrayList<>(lost));
    }
}
