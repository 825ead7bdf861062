package dev.tutti.jgroups;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Counts the messages that are not relayed, by reason, and warns of each reason once a minute at most. Thread-safe. */
final class Losses {

    private static final long PAUSE_NANOS = 60_000_000_000L;

    /** Reasons why a message is not relayed. */
    enum Reason {
        /** It is for the bridge alone. */
        UNICAST("is for the bridge alone, and only messages to all are relayed"),
        /** It has no bytes, but an object. */
        NO_BYTES("has no bytes but an object; send a BytesMessage, or give the bridge a converter"),
        /** The group has not taken it within its time limit, or is left. */
        GROUP("was not accepted by the group"),
        /** JGroups has not taken it. */
        CHANNEL("was not accepted by JGroups");

        private final String text;

        Reason(String text) {
            this.text = text;
        }
    }

    private final Logger log;
    private final Map<Reason, Long> counts = new EnumMap<>(Reason.class);
    private final Map<Reason, Long> toldNanos = new EnumMap<>(Reason.class);

    Losses(Logger log) {
        this.log = log;
    }

    void note(Reason reason, Object sender, long nowNanos, @Nullable Throwable cause) {
        long count;
        synchronized (this) {
            count = counts.merge(reason, 1L, Long::sum);
            Long told = toldNanos.get(reason);
            if (told != null && nowNanos - told < PAUSE_NANOS) {
                return;
            }
            toldNanos.put(reason, nowNanos);
        }
        log.warn("a message of {} is not relayed: it {}{}; {} of this kind by now", sender, reason.text, cause == null ? "" : " (" + cause + ")", count);
    }

    synchronized long count(Reason reason) {
        return counts.getOrDefault(reason, 0L);
    }
}
