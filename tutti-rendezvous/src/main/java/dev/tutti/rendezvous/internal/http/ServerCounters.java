package dev.tutti.rendezvous.internal.http;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counters of a server. From any thread. */
public final class ServerCounters {

    /** Names, and what is counted. */
    public enum Name {
        REQUESTS("Requests."),
        REFUSED("Requests that were refused: by a quota, or since they were wrong."),
        UNAUTHORIZED("Requests without a right token or certificate."),
        TOO_SLOW("Connections closed because their request did not come in time, or its answer was not taken in time."),
        EVICTED("Connections without a request that were closed to make room for others."),
        NO_PLACE("Connections that found no room."),
        ANSWERS_DROPPED("Answers that were refused because too many bytes of others had not been taken."),
        SILENT("Control streams closed because their node was silent for 15 s."),
        TICKETS_EXPIRED("Connections between nodes that were not opened because the other node did not come in time."),
        PAIRED("Pairs that were connected."),
        STALLED("Ends of pairs closed because they took nothing of what waited for them for rendezvous-server.stall-timeout."),
        RELAYED_BYTES("Bytes that were relayed.");

        private final String meaning;

        Name(String meaning) {
            this.meaning = meaning;
        }

        String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final LongAdder[] values = new LongAdder[Name.values().length];

    public ServerCounters() {
        for (int index = 0; index < values.length; index++) {
            values[index] = new LongAdder();
        }
    }

    public void add(Name name, long amount) {
        values[name.ordinal()].add(amount);
    }

    public Map<Name, Long> all() {
        Map<Name, Long> all = new EnumMap<>(Name.class);
        for (Name name : Name.values()) {
            all.put(name, values[name.ordinal()].sum());
        }
        return all;
    }

    /** Returns the numbers in the text format of Prometheus. */
    static String prometheus(Map<String, Long> gauges, Map<Name, Long> counters) {
        StringBuilder text = new StringBuilder();
        counters.forEach((name, value) -> {
            String metric = "tutti_rendezvous_" + name.text().replace('-', '_') + "_total";
            text.append("# HELP ").append(metric).append(' ').append(name.meaning).append('\n');
            text.append("# TYPE ").append(metric).append(" counter\n").append(metric).append(' ').append(value).append('\n');
        });
        gauges.forEach((name, value) -> {
            String metric = "tutti_rendezvous_" + name.replace('-', '_');
            text.append("# TYPE ").append(metric).append(" gauge\n").append(metric).append(' ').append(value).append('\n');
        });
        return text.toString();
    }
}
