package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.ViewId;
import java.util.BitSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What is known of one member with whom there is a session: what it has said, and what views say about it. */
final class Peer {

    private static final TreeSet<Member> NOBODY = new TreeSet<>();

    final Member member;

    /** Whether it has said anything; before that the fields below mean nothing. */
    boolean hasSpoken;

    /** Whether it is among those that are in order of age, and counted; {@link Peers} says so. */
    boolean isRanked;

    boolean isCounted;

    ViewId view;
    ViewId promised;
    Member follows;
    long joined = Advert.NOT_YET;

    /** Number of the view that it has said to have installed; what others say does not count here. */
    long confirmed;

    /** The promise that it has told itself; what follows from views and answers does not count here. */
    ViewId saidPromised;

    /** Whom it has sessions with, by the roster's numbers; known while it follows this member. */
    @Nullable BitSet heard;

    TreeSet<Member> lost = NOBODY;

    /** Ballots that it has refused since it answered one. */
    int refusals;

    /** A control message of its that is coming in pieces. */
    @Nullable Assembly assembly;

    /** Promises that this member had made when the session was opened. */
    final long promisesBefore;

    /** What it was told last; null before that. */
    @Nullable Advert told;

    Peer(Member member, long promisesBefore) {
        this.member = member;
        this.promisesBefore = promisesBefore;
        this.view = new ViewId(1, 1, member);
        this.promised = view;
        this.saidPromised = view;
        this.follows = member;
    }

    /** Whether it has said that it stands outside of the primary partition, and not before it had promised {@code id}. */
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

    /** It is in this view, or has promised it at least. */
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
