package dev.tutti.tomcat.replication.session;

import dev.tutti.blocks.internal.placement.Rendezvous;
import dev.tutti.core.Member;

/**
 * Logical time of one session: of two changes, every member keeps the one with the larger version.
 *
 * @param view number of the view in which the writer last knew itself in contact with the others, so that the writes of
 *     a member without which the others have gone on lose to what they have written since; 0 for a use without a change
 * @param counter one more than any that the writer knew of for this session: a Lamport time
 * @param origin the writer, which decides between equal counters; see {@link #originOf}
 */
public record SessionVersion(long view, long counter, long origin) implements Comparable<SessionVersion> {

    /** Version before any change. */
    public static final SessionVersion NONE = new SessionVersion(0, 0);

    SessionVersion(long counter, long origin) {
        this(0, counter, origin);
    }

    /** Returns the number that identifies a member in versions; two members collide with probability 2^-64. */
    public static long originOf(Member member) {
        return Rendezvous.hash(member.node().incarnation() * 31 + member.join(), member.node().address());
    }

    /** Returns a hash of this version and a number. */
    long mixedWith(long number) {
        return Rendezvous.mix(Rendezvous.mix(Rendezvous.mix(Rendezvous.mix(number) + view) + counter) + origin);
    }

    /** Returns whether both are versions of one change, which may have been made again in a later view. */
    boolean isSameChange(SessionVersion other) {
        return counter == other.counter && origin == other.origin;
    }

    public boolean isAfter(SessionVersion other) {
        return compareTo(other) > 0;
    }

    /** Returns whether this is the later use. Views do not count: a use is valid on either side of a partition. */
    boolean isUsedAfter(SessionVersion other) {
        int byCounter = Long.compare(counter, other.counter);
        return (byCounter != 0 ? byCounter : Long.compare(origin, other.origin)) > 0;
    }

    @Override
    public int compareTo(SessionVersion other) {
        if (view != other.view) {
            return Long.compare(view, other.view);
        }
        int byCounter = Long.compare(counter, other.counter);
        return byCounter != 0 ? byCounter : Long.compare(origin, other.origin);
    }
}
