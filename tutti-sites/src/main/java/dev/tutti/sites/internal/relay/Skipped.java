package dev.tutti.sites.internal.relay;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.sites.internal.log.OriginMember;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

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

    /** Returns the first message of a member that was left out and has not come since, if nothing came behind them; otherwise 0. */
    public long firstOf(OriginMember member, SequenceVector delivered) {
        @Nullable Range range = ranges.get(member);
        return range != null && range.last == delivered.of(member) ? range.first : 0;
    }

    /** Takes a message that has come, and returns the first one that has not; that and those between are lost, if there are any. */
    public long take(OriginMember member, long sequence) {
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
        for (int left = in.takeCount(OriginMember.BYTES_MIN + 2 * Long.BYTES); left > 0; left--) {
            skipped.ranges.put(OriginMember.take(in), new Range(in.takeLong(), in.takeLong()));
        }
        return skipped;
    }
}
