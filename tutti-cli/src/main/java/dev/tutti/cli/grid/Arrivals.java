package dev.tutti.cli.grid;

import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import java.util.Map;
import java.util.TreeMap;

/**
 * Measurements that one consumer got, by the numbers of their producers. It remembers what is missing between the first one and the last
 * one of a producer, and whether the consumer was told of a gap at that place. Thread-safe.
 */
final class Arrivals implements MeasurementListener {

    /**
     * Measurements of one producer.
     *
     * @param first number of the first one
     * @param last number of the last one; 0 if none has come
     * @param told measurements that are missing at places where the consumer was told of a gap
     * @param untold measurements that are missing elsewhere: their numbers alone say so
     * @param repeated measurements that came again, or after later ones
     * @param isGapOpen whether the consumer was told of a gap after the last one
     */
    record Row(long first, long last, long received, long told, long untold, long repeated, boolean isGapOpen) {

        private static final Row NONE = new Row(0, 0, 0, 0, 0, 0, false);

        private Row with(long sequence) {
            if (sequence <= last) {
                return new Row(first, last, received, told, untold, repeated + 1, isGapOpen);
            }
            // The first one may come late: the consumer was not there before.
            long missing = last == 0 ? 0 : sequence - last - 1;
            long begin = last == 0 ? sequence : first;
            return new Row(
                    begin, sequence, received + 1, told + (isGapOpen ? missing : 0), untold + (isGapOpen ? 0 : missing), repeated, false);
        }

        private Row withGap() {
            return new Row(first, last, received, told, untold, repeated, true);
        }
    }

    // Guarded by this.
    private final TreeMap<String, Row> rows = new TreeMap<>();
    private long gaps;

    @Override
    public synchronized void onMeasurement(Measurement measurement) {
        rows.put(measurement.producer(), of(measurement.producer()).with(measurement.sequence()));
    }

    @Override
    public synchronized void onGap(Gap gap) {
        gaps++;
        if (gap.producer().isEmpty()) {
            rows.replaceAll((producer, row) -> row.withGap());
        } else {
            rows.put(gap.producer(), of(gap.producer()).withGap());
        }
    }

    /** Returns what came from a producer. */
    synchronized Row of(String producer) {
        return rows.getOrDefault(producer, Row.NONE);
    }

    /** Returns the number of gaps that the consumer was told. */
    synchronized long gaps() {
        return gaps;
    }

    synchronized long received() {
        return rows.values().stream().mapToLong(Row::received).sum();
    }

    /** Returns what came, by producer. */
    synchronized Map<String, Row> all() {
        return new TreeMap<>(rows);
    }
}
