package dev.tutti.netty.internal.arrival;

import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Logs misbehaviour of strangers, once a minute per host, so that nobody fills the log from outside. Used on the loop
 * only.
 */
public final class RefusalLog {

    private static final int HOSTS_MAX = 64;
    private static final long PAUSE_NANOS = 60_000_000_000L;

    private final Logger log;

    /** Time of the last line about each host, in that order. */
    private final LinkedHashMap<String, Long> lastNanos = new LinkedHashMap<>();

    private long silenced;

    public RefusalLog(Logger log) {
        this.log = log;
    }

    public void refused(long nowNanos, String host, String remote, String reason) {
        Long last = lastNanos.get(host);
        if (last != null && nowNanos - last < PAUSE_NANOS) {
            silenced++;
            return;
        }
        Map.Entry<String, Long> oldest = lastNanos.firstEntry();
        if (lastNanos.size() >= HOSTS_MAX && oldest != null) {
            if (nowNanos - oldest.getValue() < PAUSE_NANOS) {
                silenced++;
                return;
            }
            lastNanos.remove(oldest.getKey());
        }
        lastNanos.remove(host);
        lastNanos.put(host, nowNanos);
        log.warn("refused {}: {}{}", remote, reason, silenced == 0 ? "" : " (" + silenced + " more not logged)");
        silenced = 0;
    }
}
