package dev.tutti.console.internal;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts of requests, refusals and failures of the console. From any thread. */
final class CounterTable {

    /** The counters, with their names. */
    enum Counter {
        REQUESTS("requests"),
        REQUESTS_MALFORMED("requests-malformed"),
        REQUESTS_TOO_SLOW("requests-too-slow"),
        REQUESTS_FOREIGN_HOST("requests-foreign-host"),
        REQUESTS_FOREIGN_PAGE("requests-foreign-page"),
        REQUESTS_WITHOUT_LOGIN("requests-without-login"),
        REQUESTS_UNPROVEN("requests-unproven"),
        REQUESTS_NOT_PERMITTED("requests-not-permitted"),
        LOGINS_DELAYED("logins-delayed"),
        PROVIDER_FAILURES("provider-failures"),
        LINKS_MADE("links-made"),
        OPERATIONS("operations"),
        OPERATIONS_FAILED("operations-failed"),
        BROWSERS_REFUSED("browsers-refused"),
        BROWSERS_TOO_SLOW("browsers-too-slow"),
        FIGURES_SKIPPED("figures-skipped"),
        GATHERINGS("gatherings"),
        GATHERINGS_FAILED("gatherings-failed");

        private final String text;

        Counter(String text) {
            this.text = text;
        }
    }

    private final LongAdder[] values = new LongAdder[Counter.values().length];

    CounterTable() {
        Arrays.setAll(values, index -> new LongAdder());
    }

    void increment(Counter counter) {
        values[counter.ordinal()].increment();
    }

    long get(Counter counter) {
        return values[counter.ordinal()].sum();
    }

    Map<String, Long> report() {
        Map<String, Long> report = new LinkedHashMap<>();
        for (Counter counter : Counter.values()) {
            report.put(counter.text, get(counter));
        }
        return report;
    }
}
