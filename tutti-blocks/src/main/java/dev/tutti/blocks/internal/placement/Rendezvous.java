package dev.tutti.blocks.internal.placement;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Members in an order of their own for each key, by rendezvous hashing (Thaler and Ravishankar, 1998): each member has a score for
 * each key. A pure function of members and key. When a member leaves or comes, the order of the others stays as it is. Immutable.
 *
 * @param <M> members
 */
public final class Rendezvous<M> {

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private final List<M> members;
    private final long[] hashes;

    /**
     * @param members in any order; not empty
     * @param hash number of a member, the same at all members, with well distributed bits
     */
    public Rendezvous(Collection<M> members, ToLongFunction<? super M> hash) {
        if (members.isEmpty()) {
            throw new IllegalArgumentException("no members; at least one is needed");
        }
        this.members = List.copyOf(members);
        this.hashes = this.members.stream().mapToLong(hash).toArray();
    }

    /** Returns the members, in the order in which they were given. */
    public List<M> members() {
        return members;
    }

    /** Returns the member with the largest score. */
    public M first(String key) {
        long keyHash = hash(key);
        int best = 0;
        for (int index = 1; index < hashes.length; index++) {
            if (isBefore(keyHash, index, best)) {
                best = index;
            }
        }
        return members.get(best);
    }

    /** Returns all members, those with larger scores first. */
    public List<M> order(String key) {
        long keyHash = hash(key);
        List<Integer> indices = new ArrayList<>(hashes.length);
        for (int index = 0; index < hashes.length; index++) {
            indices.add(index);
        }
        indices.sort((one, other) -> one.equals(other) ? 0 : isBefore(keyHash, one, other) ? -1 : 1);
        return indices.stream().map(members::get).toList();
    }

    /** Returns whether a member has the larger score; the smaller hash decides between equal ones. */
    private boolean isBefore(long keyHash, int index, int other) {
        int byScore = Long.compareUnsigned(score(keyHash, hashes[index]), score(keyHash, hashes[other]));
        return byScore != 0 ? byScore > 0 : Long.compareUnsigned(hashes[index], hashes[other]) < 0;
    }

    private static long score(long keyHash, long memberHash) {
        long mixed = keyHash ^ memberHash;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** Returns a hash of a number and a text, the same everywhere, with well distributed bits. */
    public static long hash(long number, String text) {
        long hash = mix(number);
        for (int index = 0; index < text.length(); index++) {
            hash = mix(hash + text.charAt(index));
        }
        return hash;
    }

    /** Returns a number with well distributed bits: a step of SplitMix64 (Steele, Lea and Flood, 2014). */
    public static long mix(long value) {
        long mixed = value + 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    private static long hash(String key) {
        long hash = FNV_OFFSET;
        for (int index = 0; index < key.length(); index++) {
            hash = (hash ^ key.charAt(index)) * FNV_PRIME;
        }
        return hash;
    }
}
