package dev.tutti.protocols.node;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Hosts whose connections this node has recently refused, with the reasons. */
final class Refused {

    /** Number of hosts and reasons that are kept; the one that was quiet for longest makes room. */
    private static final int KEPT_MAX = 16;

    /** Time without another attempt after which an entry expires: longer than the pause of a node that was refused. */
    static final long OVER_NANOS = 30_000_000_000L;

    private record Attempt(String host, String reason, boolean isNode) {}

    private static final class Attempts {
        long count;
        long lastNanos;
    }

    /** Attempts, the one that was quiet for longest first. */
    private final LinkedHashMap<Attempt, Attempts> kept = new LinkedHashMap<>();

    /**
     * @param remote host and port, of which the port is of this one connection
     * @param isNode whether it speaks the protocol, or TLS, and so is probably a node
     */
    void add(String remote, String reason, boolean isNode, long nowNanos) {
        int colon = remote.lastIndexOf(':');
        Attempt attempt = new Attempt(colon < 0 ? remote : remote.substring(0, colon), reason, isNode);
        Attempts attempts = kept.remove(attempt);
        if (attempts == null) {
            attempts = new Attempts();
            if (kept.size() >= KEPT_MAX) {
                kept.pollFirstEntry();
            }
        }
        attempts.count++;
        attempts.lastNanos = nowNanos;
        kept.put(attempt, attempts);
    }

    void report(long nowNanos, List<Trouble> troubles) {
        while (!kept.isEmpty() && nowNanos - kept.firstEntry().getValue().lastNanos >= OVER_NANOS) {
            kept.pollFirstEntry();
        }
        for (Map.Entry<Attempt, Attempts> entry : kept.entrySet()) {
            Attempt attempt = entry.getKey();
            // A stranger that connects once is a scanner, or an accident.
            if (attempt.isNode() || entry.getValue().count > 1) {
                troubles.add(Trouble.refusing(attempt.host(), attempt.reason(), attempt.isNode()));
            }
        }
    }
}
