package dev.tutti.tomcat.diagnostics;

import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;

/** Logs each subject once, however often it occurs; remembers the last {@value #REMEMBERED_MAX} subjects. */
public final class Reports {

    static final int REMEMBERED_MAX = 1_000;

    private final Logger log;
    private final LinkedHashMap<String, Long> counts = new LinkedHashMap<>();

    public Reports(Logger log) {
        this.log = log;
    }

    /**
     * @param subject key of the report, which is logged when the subject occurs for the first time
     */
    public void warnOnce(String subject, String message) {
        synchronized (counts) {
            if (counts.merge(subject, 1L, Long::sum) > 1) {
                return;
            }
            if (counts.size() > REMEMBERED_MAX) {
                counts.pollFirstEntry();
            }
        }
        log.warn(message);
    }

    /** Returns the number of occurrences of each subject. */
    public Map<String, Object> snapshot() {
        synchronized (counts) {
            return new LinkedHashMap<>(counts);
        }
    }
}
