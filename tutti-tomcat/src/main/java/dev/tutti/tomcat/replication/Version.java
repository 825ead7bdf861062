package dev.tutti.tomcat.replication;

import dev.tutti.core.Member;

/**
 * A Lamport time of one session: of two changes, the one with the larger version is kept, at every member.
 *
 * @param counter one more than any that the writer knew of for this session
 * @param origin the writer, which decides between equal counters; see {@link #originOf}
 */
public record Version(long counter, long origin) implements Comparable<Version> {

    /** Before any change. */
    public static final Version NONE = new Version(0, 0);

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

    public boolean isAfter(Version other) {
        return compareTo(other) > 0;
    }

    @Override
    public int compareTo(Version other) {
        int byCounter = Long.compare(counter, other.counter);
        return byCounter != 0 ? byCounter : Long.compare(origin, other.origin);
    }
}
