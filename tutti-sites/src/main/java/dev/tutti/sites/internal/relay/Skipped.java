package dev.tutti.sites.internal.relay;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.sites.internal.log.OriginMember;
import java.util.LinkedHashMap;

/**
 * First messages of members of another site that it has left out: they were not for this site, or the other part of this site, while it was
 * divided, has acknowledged them, and can hand them over. At most {@link SequenceVector#MEMBERS_MAX} members are known, the last ones.
 * Not thread-safe.
 */
public final class Skipped {

    /** @param first message that was not handed over, and not told as lost, since */
    private record Range(long first, long last) {}

    private final LinkedHashMap<OriginMember, Range> ranges = new LinkedHashMap<>();

    /** Notes that all messages up to {@code last} were left out. */
    void add(OriginMember member, long last) {
        ranges.put(member, new Range(1, last));
        if (ranges.size() > SequenceVector.MEMBERS_MAX) {
            ranges.pollFirstEntry();
        }
    }

    /** Returns whether a message was left out, and has not come since. */
    public boolean covers(OriginMember member, long sequence) {
        Range range = ranges.get(member);
        return range != null && range.first <= sequence && sequence <= range.last;
    }

    /** Returns whether messages of a member were left out, and nothing was delivered behind them. */
    boolean isLast(OriginMember member, SequenceVector delivered) {
        Range range = ranges.get(member);
        return range != null && range.last == delivered.of(member);
    }

    /** Takes a message that has come, and returns the first one that has not; that and those between are lost, if there are any. */
    long take(OriginMember member, long sequence) {
        Range range = ranges.remove(member);
        if (range == null) {
            return sequence;
        }
        if (sequence < range.last) {
            ranges.put(member, new Range(sequence + 1, range.last));
        }
        return range.first;
    }

    public Skipped copy() {
        Skipped copy = new Skipped();
        copy.ranges.putAll(ranges);
        return copy;
    }

    void put(ByteOutput out) {
        out.putInt(ranges.size());
        ranges.forEach((member, range) -> {
            member.put(out);
            out.putLong(range.first).putLong(range.last);
        });
    }

    static Skipped take(ByteInput in) {
        Skipped skipped = new Skipped();
        int count = in.takeCount(OriginMember.BYTES_MIN + 2 * Long.BYTES);
        if (count > SequenceVector.MEMBERS_MAX) {
            throw new MalformedException("messages of " + count + " members were left out, and at most " + SequenceVector.MEMBERS_MAX + " are known");
        }
        for (int left = count; left > 0; left--) {
            skipped.ranges.put(OriginMember.take(in), new Range(in.takeLong(), in.takeLong()));
        }
        return skipped;
    }
}
