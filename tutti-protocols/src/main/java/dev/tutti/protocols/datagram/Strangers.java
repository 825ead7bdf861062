package dev.tutti.protocols.datagram;

import dev.tutti.core.driver.Endpoint;
import java.util.LinkedHashMap;

/**
 * Senders of multicasts with which there is no session: each is told to the node once in a second, and a bounded number in all,
 * because addresses of senders can be forged, and the node dials them.
 */
final class Strangers {

    static final int TOLD_MAX = 16;

    private static final long PERIOD_NANOS = 1_000_000_000L;

    /** Time at which each was told, within the period, the longest ago first. */
    private final LinkedHashMap<Endpoint, Long> recent = new LinkedHashMap<>();

    private long told;

    /** Returns whether a sender is to be told to the node, which then counts as done. */
    boolean isDue(Endpoint sender, long nowNanos) {
        while (!recent.isEmpty() && nowNanos - recent.firstEntry().getValue() >= PERIOD_NANOS) {
            recent.pollFirstEntry();
        }
        if (recent.size() >= TOLD_MAX || recent.containsKey(sender)) {
            return false;
        }
        recent.put(sender, nowNanos);
        told++;
        return true;
    }

    long told() {
        return told;
    }
}
