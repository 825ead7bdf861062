package dev.tutti.sites.internal.relay;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The last messages that a part of this site has taken from another site.
 *
 * @param sinceNanos time at this member after which nothing is missing here
 * @param items in order
 * @param skipped first messages of the other site's members that have not come
 */
public record Recent(long sinceNanos, List<Item> items, Skipped skipped) {

    /** Part of a stream, and the time at this member when it was taken. */
    public record Item(RelayItem item, long nanos) {}

    /** Puts ages in place of times: members have different clocks. */
    public void put(ByteOutput out, long nowNanos) {
        putAge(out, nowNanos - sinceNanos);
        SiteFrame.putList(out, items, each -> {
            each.item.put(out);
            putAge(out, nowNanos - each.nanos);
        });
        skipped.put(out);
    }

    private static void putAge(ByteOutput out, long nanos) {
        out.putLong(TimeUnit.NANOSECONDS.toMillis(nanos));
    }

    /** @throws dev.tutti.blocks.codec.MalformedException if there is none */
    public static Recent take(ByteInput in, long nowNanos) {
        long since = takeTime(in, nowNanos);
        List<Item> items =
                SiteFrame.takeList(in, RelayItem.BYTES_MIN + Long.BYTES, each -> new Item(RelayItem.take(each), takeTime(each, nowNanos)));
        return new Recent(since, items, Skipped.take(in));
    }

    private static long takeTime(ByteInput in, long nowNanos) {
        return nowNanos - TimeUnit.MILLISECONDS.toNanos(in.takeLong());
    }
}
