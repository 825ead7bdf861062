package dev.tutti.rendezvous.internal.http;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Counters of a server. From any thread. */
public final class ServerCounters {

    /** Names, and what is counted. */
    public enum Name {
        REQUESTS("Requests."),
        REFUSED("Requests that were refused: by a quota, or since they were wrong."),
        UNAUTHORIZED("Requests without a right token or certificate."),
        TOO_SLOW("Connections closed because their request did not come in time."),
        SILENT("Control streams closed because their node was silent for 15 s."),
        REPLACED("Control streams closed because their node has opened a newer one."),
        PAIRED("Pairs that were connected.");

        private final String meaning;

        Name(String meaning) {
            this.meaning = meaning;
        }

        String text() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
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

    public Map<String, Long> all() {
        TreeMap<String, Long> all = new TreeMap<>();
        for (Name name : Name.values()) {
            all.put(name.text(), values[name.ordinal()].sum());
        }
        return all;
    }

    /** Returns the numbers in the text format of Prometheus. */
    String prometheus(Map<String, Long> gauges, long relayedBytes) {
        StringBuilder text = new StringBuilder();
        for (Name name : Name.values()) {
            counter(text, name.text(), name.meaning, values[name.ordinal()].sum());
        }
        counter(text, "relayed-bytes", "Bytes that were relayed.", relayedBytes);
        gauges.forEach((name, value) -> {
            String metric = "tutti_rendezvous_" + name.replace('-', '_');
            text.append("# TYPE ").append(metric).append(" gauge\n").append(metric).append(' ').append(value).append('\n');
        });
        return text.toString();
    }

    private static void counter(StringBuilder text, String name, String meaning, long value) {
        String metric = "tutti_rendezvous_" + name.replace('-', '_') + "_total";
        text.append("# HELP ").append(metric).append(' ').append(meaning).append('\n');
        text.append("# TYPE ").append(metric).append(" counter\n").append(metric).append(' ').append(value).append('\n');
    }
}
