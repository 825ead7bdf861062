package dev.tutti.grid.internal.links;

import dev.tutti.NodeInspection.LinkPart;
import dev.tutti.NodeInspection.Part;
import dev.tutti.grid.Body;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of a link at one time.
 *
 * @param nanoTime time of the monotonic clock
 */
record LinkReading(long nanoTime, LinkPart link) {

    /**
     * Returns what was measured, by the last level of its topic. Counts and rates cover the time since an earlier reading. They are left
     * out without one, after one of another run of the peer, and, where a session or a connection has counted, after one of another
     * session or connection.
     */
    Map<String, Body> numbers(@Nullable LinkReading earlier) {
        TreeMap<String, Body> numbers = new TreeMap<>();
        // The system says 0 while it has measured nothing.
        boolean isMeasured = link.roundTripMicros() > 0;
        if (isMeasured) {
            numbers.put("round-trip", Body.of(link.roundTripMicros(), "us"));
        }
        Long variation = link.part("socket").values().get("round-trip-variation-micros");
        if (isMeasured && variation != null) {
            numbers.put("round-trip-variation", Body.of(variation, "us"));
        }
        if (earlier == null || !earlier.link.peer().equals(link.peer()) || nanoTime <= earlier.nanoTime) {
            return numbers;
        }
        double seconds = (nanoTime - earlier.nanoTime) / 1e9;
        if (isSame(earlier, "epoch")) {
            put(numbers, "sent", since(earlier, "link", "sent-bytes"), seconds, "By/s");
            put(numbers, "received", since(earlier, "link", "received-bytes"), seconds, "By/s");
            put(numbers, "resent-frames", since(earlier, "link", "resent-frames"), 1, "1");
        }
        if (isSame(earlier, "connection")) {
            put(numbers, "retransmitted-segments", since(earlier, "socket", "retransmitted-segments"), 1, "1");
            put(numbers, "lost-datagrams", since(earlier, "path", "lost-datagrams"), 1, "1");
        }
        return numbers;
    }

    private boolean isSame(LinkReading earlier, String value) {
        return link.part("link").value(value) == earlier.link.part("link").value(value);
    }

    /** Returns the difference of a counter; -1 if it was not counted at both times, or was begun anew. */
    private long since(LinkReading earlier, String part, String value) {
        Part now = link.part(part);
        Part before = earlier.link.part(part);
        boolean isCounted = now.values().containsKey(value) && before.values().containsKey(value);
        return isCounted ? Math.max(now.value(value) - before.value(value), -1) : -1;
    }

    private static void put(Map<String, Body> numbers, String name, long count, double seconds, String unit) {
        if (count >= 0) {
            numbers.put(name, Body.of(count / seconds, unit));
        }
    }
}
