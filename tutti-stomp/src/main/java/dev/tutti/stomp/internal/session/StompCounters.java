package dev.tutti.stomp.internal.session;

import dev.tutti.stomp.internal.codec.StompFault;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** A server's counters. Thread-safe. */
final class StompCounters {

    private final LongAdder[] counts = adders(Counter.values().length);
    private final LongAdder[] faults = adders(StompFault.values().length);

    private static LongAdder[] adders(int count) {
        LongAdder[] adders = new LongAdder[count];
        for (int index = 0; index < count; index++) {
            adders[index] = new LongAdder();
        }
        return adders;
    }

    void add(Counter counter, long count) {
        counts[counter.ordinal()].add(count);
    }

    void increment(Counter counter) {
        counts[counter.ordinal()].increment();
    }

    void increment(StompFault fault) {
        faults[fault.ordinal()].increment();
    }

    Map<String, Long> snapshot() {
        Map<String, Long> snapshot = new LinkedHashMap<>();
        for (Counter counter : Counter.values()) {
            snapshot.put(spell(counter), counts[counter.ordinal()].sum());
        }
        for (StompFault fault : StompFault.values()) {
            snapshot.put("disconnected." + fault.label(), faults[fault.ordinal()].sum());
        }
        return snapshot;
    }

    private static String spell(Counter constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
