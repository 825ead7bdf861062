package dev.tutti.tomcat.replication;

import dev.tutti.core.Member;

/**
 * A time of one session: of two changes, the one with the larger version is kept, at every member.
 *
 * @param view number of the view in which the writer last knew itself in contact with the others, so that what a member
 *     writes that the others have gone on without loses to what they have written since; 0 for a mere use
 * @param counter one more than any that the writer knew of for this session: a Lamport time
 * @param origin the writer, which decides between equal counters; see {@link #originOf}
 */
public record Version(long view, long counter, long origin) implements Comparable<Version> {

    /** Before any change. */
    public static final Version NONE = new Version(0, 0);

    Version(long counter, long origin) {
        this(0, counter, origin);
    }

    /** The number that stands for a member in versions; two members have the same only by an accident of 1 in 2^64. */
    public static long originOf(Member member) {
        long hash = mix(member.node().incarnation() * 31 + member.join());
        String address = member.node().address();
        for (int index = 0; index < address.length(); index++) {
            hash = mix(hash + address.charAt(index));
        }
        return hash;
    }

    private static long mix(long value) {
        long mixed = value + 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** Whether it is the version of one change, which may have been made again in a later view. */
    boolean isSameChange(Version other) {
        return counter == other.counter && origin == other.origin;
    }

    public boolean isAfter(Version other) {
        return compareTo(other) > 0;
    }

    /** Whether this is the later use: views do not matter, because no side of a partition uses a session in vain. */
    boolean isUsedAfter(Version other) {
        int byCounter = Long.compare(counter, other.counter);
        return (byCounter != 0 ? byCounter : Long.compare(origin, other.origin)) > 0;
    }

    @Override
    public int compareTo(Version other) {
        if (view != other.view) {
            return Long.compare(view, other.view);
        }
        int byCounter = Long.compare(counter, other.counter);
        return byCounter != 0 ? byCounter : Long.compare(origin, other.origin);
    }
}
