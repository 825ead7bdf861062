package dev.tutti.netty.internal.loop;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counters of the loop. Written by the loop only; every thread may read them. */
public final class DriverCounters {

    /**
     * Names of the counters: those of drivers of streams up to the bytes, those of datagrams from there, those of loops
     * last.
     */
    public enum Name {
        CONNECTIONS_ACCEPTED,
        CONNECTIONS_DIALLED,
        CONNECTIONS_REFUSED_LIMIT,
        CONNECTIONS_EVICTED,
        CONNECTIONS_EXPIRED,
        CONNECTIONS_DISTRUSTED,
        REFUSALS_UNTOLD,
        CONNECTIONS_GARBAGE,
        CONNECTIONS_OVERFLOWED,
        DIALS_FAILED,
        TLS_HANDSHAKES_FAILED,
        FRAMES_RECEIVED,
        FRAMES_SENT,
        FRAMES_COPIED,
        FRAMES_CORRUPT,
        BYTES_RECEIVED,
        BYTES_SENT,
        BATCHES_RECEIVED,
        BATCHES_SENT,
        DATAGRAMS_RECEIVED,
        DATAGRAMS_RECEIVED_MULTICAST,
        DATAGRAMS_RECEIVED_OWN,
        DATAGRAMS_RECEIVED_COPIED,
        DATAGRAMS_SENT,
        DATAGRAMS_SENT_MULTICAST,
        DATAGRAMS_SENT_SEGMENTED,
        DATAGRAMS_SENT_COPIED,
        DATAGRAMS_DROPPED_QUEUE_FULL,
        DATAGRAMS_DROPPED_TOO_LARGE,
        DATAGRAMS_DROPPED_NO_BUFFER,
        DATAGRAMS_DROPPED_NOT_PERMITTED,
        DATAGRAMS_DROPPED_REFUSED,
        DATAGRAMS_DROPPED_UNREACHABLE,
        DATAGRAMS_DROPPED_CLOSED,
        DATAGRAMS_DROPPED_OTHER,
        SEGMENTATION_REFUSED,
        RECEIVES_FAILED,
        RESOLVES_FAILED,
        WATCHES_CONNECTED,
        WATCHES_FAILED,
        WATCHES_REFUSED,
        WATCHES_ACCEPTED,
        WATCHES_EVICTED,
        TURNS,
        TASKS;

        private final String text = name().toLowerCase(Locale.ROOT).replaceFirst("_", ".").replace('_', '-');
    }

    private final Set<Name> names;
    private final AtomicLongArray values = new AtomicLongArray(Name.values().length);

    /** @param names counters that are used here */
    public DriverCounters(Set<Name> names) {
        this.names = names;
    }

    public void add(Name name, long amount) {
        int index = name.ordinal();
        values.setOpaque(index, values.getPlain(index) + amount);
    }

    public void count(Map<String, Long> counters) {
        for (Name name : names) {
            counters.put(name.text, values.getOpaque(name.ordinal()));
        }
    }
}
