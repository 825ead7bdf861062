package dev.tutti.grid.internal.delivery;

import dev.tutti.grid.Measurement;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Last numbers of the producers whose measurements a consumer gets. A producer's numbers grow, so that a measurement whose number is not
 * larger than the last one has come before. Not thread-safe.
 */
public final class LastNumbers {

    /** Most producers. Beyond it, the one that was not heard for longest is forgotten: what it sends again is told again. */
    static final int PRODUCERS_MAX = 10_000;

    private static final class Known extends LinkedHashMap<String, long[]> {

        private static final long serialVersionUID = 1;
        private static final int CAPACITY = 16;
        private static final float LOAD = 0.75f;

        Known() {
            super(CAPACITY, LOAD, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, long[]> eldest) {
            return size() > PRODUCERS_MAX;
        }
    }

    private final Known known = new Known();

    /** Returns whether a measurement has not come before, and notes its number. */
    public boolean isNew(Measurement measurement) {
        long[] last = known.computeIfAbsent(measurement.producer(), _ -> new long[1]);
        if (measurement.sequence() <= last[0]) {
            return false;
        }
        last[0] = measurement.sequence();
        return true;
    }
}
