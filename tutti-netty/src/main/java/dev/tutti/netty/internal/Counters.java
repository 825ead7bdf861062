package dev.tutti.netty.internal;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/** What the loop counts. It alone writes; every thread may read. */
final class Counters {

    enum Name {
        CONNECTIONS_ACCEPTED,
        CONNECTIONS_DIALLED,
        CONNECTIONS_REFUSED_LIMIT,
        CONNECTIONS_REFUSED_HANDSHAKES,
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
        TURNS,
        TASKS;

        private final String text = name().toLowerCase(Locale.ROOT).replaceFirst("_", ".").replace('_', '-');
    }

    private static final Name[] NAMES = Name.values();

    private final AtomicLongArray values = new AtomicLongArray(NAMES.length);

    void add(Name name, long amount) {
        int index = name.ordinal();
        values.setOpaque(index, values.getPlain(index) + amount);
    }

    void count(Map<String, Long> counters) {
        for (Name name : NAMES) {
            counters.put(name.text, values.getOpaque(name.ordinal()));
        }
    }
}
