package dev.tutti.sites.internal.relay;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.sites.internal.log.OriginMember;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * For each member of an origin site, the number of the last of its messages that somebody has: without a gap, or with
 * gaps that were told. Not thread-safe.
 *
 * <p>Members that are gone stay in it, up to {@link #MEMBERS_MAX} members; beyond that, the one that has sent nothing for longest is
 * forgotten.
 */
public final class SequenceVector {

    /** Greatest number of members of one site. */
    public static final int MEMBERS_MAX = 4096;

    /** Numbers by member, the one raised last at the end. */
    private final LinkedHashMap<OriginMember, Long> last;

    public SequenceVector() {
        last = new LinkedHashMap<>();
    }

    private SequenceVector(LinkedHashMap<OriginMember, Long> last) {
        this.last = last;
    }

    /** Returns the messages of one member up to {@code sequence}. */
    public static SequenceVector of(OriginMember member, long sequence) {
        SequenceVector vector = new SequenceVector();
        vector.raise(member, sequence);
        return vector;
    }

    /** Returns the number of the last message of {@code member}; 0 if there is none. */
    public long of(OriginMember member) {
        return last.getOrDefault(member, 0L);
    }

    /** Returns whether the message of {@code member} with this number is among them. */
    public boolean covers(OriginMember member, long sequence) {
        return sequence <= of(member);
    }

    /** Returns whether all messages of {@code part} are among them. */
    public boolean covers(SequenceVector part) {
        return part.last.entrySet().stream().allMatch(one -> covers(one.getKey(), one.getValue()));
    }

    /** Notes that messages up to {@code sequence} are among them. */
    public void raise(OriginMember member, long sequence) {
        Long before = last.remove(member);
        last.put(member, before == null ? sequence : Math.max(before, sequence));
        if (last.size() > MEMBERS_MAX) {
            last.pollFirstEntry();
        }
    }

    /** Notes that all that {@code other} has is among them. */
    public void raise(SequenceVector other) {
        other.last.forEach(this::raise);
    }

    public boolean isEmpty() {
        return last.isEmpty();
    }

    public void clear() {
        last.clear();
    }

    /** Returns the members with their numbers; a view on this vector. */
    public Map<OriginMember, Long> asMap() {
        return last;
    }

    public SequenceVector copy() {
        return new SequenceVector(new LinkedHashMap<>(last));
    }

    /** Puts the number of members, and each with its number. */
    public void put(ByteOutput out) {
        out.putInt(last.size());
        last.forEach((member, sequence) -> {
            member.put(out);
            out.putLong(sequence);
        });
    }

    /** @throws dev.tutti.blocks.codec.MalformedException if there is none */
    public static SequenceVector take(ByteInput in) {
        int count = in.takeCount(OriginMember.BYTES_MIN + Long.BYTES);
        SequenceVector taken = new SequenceVector();
        for (int i = 0; i < count; i++) {
            taken.raise(OriginMember.take(in), in.takeLong());
        }
        return taken;
    }

    /** Puts the number of sites, and each with its messages. */
    public static void putAll(ByteOutput out, Map<String, SequenceVector> vectors) {
        out.putInt(vectors.size());
        vectors.forEach((site, vector) -> vector.put(out.putText(site)));
    }

    /** @throws dev.tutti.blocks.codec.MalformedException if there are none */
    public static TreeMap<String, SequenceVector> takeAll(ByteInput in) {
        TreeMap<String, SequenceVector> vectors = new TreeMap<>();
        for (int left = in.takeCount(2 * Integer.BYTES); left > 0; left--) {
            String site = in.takeText();
            vectors.put(site, take(in));
        }
        return vectors;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SequenceVector vector && vector.last.equals(last);
    }

    @Override
    public int hashCode() {
        return last.hashCode();
    }

    @Override
    public String toString() {
        return last.toString();
    }
}
