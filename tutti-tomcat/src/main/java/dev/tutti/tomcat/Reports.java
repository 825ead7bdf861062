package dev.tutti.tomcat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;

/** Says a thing once, however often it happens; remembers the last {@value #REMEMBERED_MAX} things. */
final class Reports {

    static final int REMEMBERED_MAX = 1_000;

    private final Logger log;
    private final LinkedHashMap<String, Long> counts = new LinkedHashMap<>();

    Reports(Logger log) {
        this.log = log;
    }

    /**
     * @param subject what it is about: reported when it occurs the first time
     */
    void warnOnce(String subject, String message) {
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

    /** How often each thing has happened. */
    Map<String, Object> snapshot() {
        synchronized (counts) {
            return new LinkedHashMap<>(counts);
        }
    }
}
