package dev.tutti.grid.internal.delivery;

import dev.tutti.grid.Measurement;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Numbers of the measurements that a consumer has got, by their producers. A producer's numbers grow, but when it changes its mediator, what it
 * sends again comes twice, and what waited at its former mediator comes behind newer ones. A window of the last numbers tells these apart, as
 * in RFC 4303, 3.4.3 (Kent, IP Encapsulating Security Payload, 2005). Not thread-safe.
 */
public final class LastNumbers {

    /** Place of a measurement among those of its producer. */
    public enum Arrival {
        /** Its number is larger than all before. */
        NEW,
        /** It has come before. */
        REPEATED,
        /** It has not come before, and newer ones have. */
        LATE,
        /** It is older than the window: it may have come before, and no other one was unknown since the last new one. */
        UNKNOWN
    }

    /** Most producers. Beyond it, the one that was not heard for longest is forgotten: what it sends again is told again. */
    static final int PRODUCERS_MAX = 10_000;

    /** Numbers of a producer, up to the last one, of which is known whether they have come. */
    static final int WINDOW = 256;

    private static final class Numbers {

        /** A bit for each number of the window, at the number's remainder. Those before the first one that has come count as having come. */
        private final long[] came = new long[WINDOW / Long.SIZE];

        private long last;
        private boolean hasToldUnknown;

        Numbers(long first) {
            last = first;
            Arrays.fill(came, -1);
        }

        Arrival arrive(long number) {
            if (number > last) {
                // The places of the numbers between them were those of numbers that leave the window.
                for (long skipped = Math.max(last + 1, number - WINDOW + 1); skipped < number; skipped++) {
                    came[word(skipped)] &= ~bit(skipped);
                }
                came[word(number)] |= bit(number);
                last = number;
                hasToldUnknown = false;
                return Arrival.NEW;
            }
            if (last - number >= WINDOW) {
                Arrival arrival = hasToldUnknown ? Arrival.REPEATED : Arrival.UNKNOWN;
                hasToldUnknown = true;
                return arrival;
            }
            if ((came[word(number)] & bit(number)) != 0) {
                return Arrival.REPEATED;
            }
            came[word(number)] |= bit(number);
            return Arrival.LATE;
        }

        private static int word(long number) {
            return (int) (number % WINDOW) / Long.SIZE;
        }

        private static long bit(long number) {
            return 1L << number % Long.SIZE;
        }
    }

    private static final class Known extends LinkedHashMap<String, Numbers> {

        private static final long serialVersionUID = 1;
        private static final int CAPACITY = 16;
        private static final float LOAD = 0.75f;

        Known() {
            super(CAPACITY, LOAD, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Numbers> eldest) {
            return size() > PRODUCERS_MAX;
        }
    }

    private final Known known = new Known();

    /** Notes the number of a measurement, and returns its place. */
    public Arrival arrive(Measurement measurement) {
        long number = measurement.sequence();
        Numbers numbers = known.get(measurement.producer());
        if (numbers == null) {
            known.put(measurement.producer(), new Numbers(number));
            return Arrival.NEW;
        }
        return numbers.arrive(number);
    }
}
