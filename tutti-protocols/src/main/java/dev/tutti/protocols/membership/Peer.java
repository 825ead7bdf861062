package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.ViewId;
import java.util.BitSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** State of one member with a session, from its own adverts and from views. */
final class Peer {

    private static final TreeSet<Member> NOBODY = new TreeSet<>();

    final Member member;

    /** Highest version of the group's packets that it speaks. */
    final int version;

    /** It has sent an advert; before that the fields below have no meaning. */
    boolean hasSpoken;

    /** It is in the order of age, and in the counts, respectively. Maintained by {@link Peers}. */
    boolean isRanked;

    boolean isCounted;

    ViewId view;
    ViewId promised;
    Member follows;
    long joined = Advert.NOT_YET;

    /** View that it has announced itself as installed. */
    ViewId confirmed;

    /** Promise that it has announced itself, without those that follow from views and answers. */
    ViewId saidPromised;

    /** Members that it has sessions with, by the numbers of {@link Hearing}; known while it follows this member. */
    @Nullable BitSet heard;

    TreeSet<Member> lost = NOBODY;

    /** Ballots that it has refused since it answered one. */
    int refusals;

    /** Control message from it that is coming in pieces. */
    @Nullable Assembly assembly;

    /** Promises that this member had made when the session was opened. */
    final long promisesBefore;

    /** Last advert sent to it; null before the first. */
    @Nullable Advert told;

    Peer(Member member, int version, long promisesBefore) {
        this.member = member;
        this.version = version;
        this.promisesBefore = promisesBefore;
        this.view = new ViewId(1, 1, member);
        this.confirmed = view;
        this.promised = view;
        this.saidPromised = view;
        this.follows = member;
    }

    /** Returns whether it has announced to be outside of the primary partition, after it had promised {@code id}. */
    boolean isOutsideSince(ViewId id) {
        return Advert.isOutsideSince(joined, saidPromised, id);
    }

    boolean follows(Member other) {
        return hasSpoken && follows.equals(other);
    }

    void forgetHearing() {
        heard = null;
        lost = NOBODY;
    }

    /** Notes that it is in this view, or has promised it at least. */
    void raise(ViewId id) {
        view = id;
        promised = id.isAfter(promised) ? id : promised;
        joined = Math.min(joined, id.number());
    }

    @Override
    public String toString() {
        return member + " in " + view + ", promised " + promised + ", follows " + follows;
    }
}
