package dev.tutti.grid;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The content of a measurement. One that is encoded takes {@link #BYTES_MAX} at most. */
public sealed interface Body {

    /** Most bytes of an encoded body: 4 MiB. */
    int BYTES_MAX = 4 << 20;

    /** Text, such as a line of a log, or a document as JSON or XML. */
    record Text(String text) implements Body {}

    /** Bytes in a form that producer and consumer know. The array is not copied; it must not be changed. */
    record Bytes(byte[] bytes) implements Body {

        @Override
        public boolean equals(Object other) {
            return other instanceof Bytes that && Arrays.equals(bytes, that.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }

        @Override
        public String toString() {
            return bytes.length + " bytes";
        }
    }

    /**
     * A number.
     *
     * @param unit its unit, in the notation of UCUM as far as possible, such as {@code By} or {@code ms}; empty for none
     */
    record Number(double value, String unit) implements Body {}

    /** Several named values, each of them a {@link Text} or a {@link Number}. */
    record Values(Map<String, Body> values) implements Body {

        public Values {
            for (Map.Entry<String, Body> each : values.entrySet()) {
                if (!(each.getValue() instanceof Text || each.getValue() instanceof Number)) {
                    throw new IllegalArgumentException("value " + each.getKey() + " is neither a text nor a number");
                }
            }
            values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
        }
    }

    /**
     * Counts of values by range. The count at {@code i} is of values above bound {@code i - 1} and at most at bound {@code i};
     * the last is of values above all bounds.
     *
     * @param bounds upper bounds, ascending
     * @param counts one more than bounds, none negative
     */
    record Histogram(List<Double> bounds, List<Long> counts, double sum, String unit) implements Body {

        public Histogram {
            bounds = List.copyOf(bounds);
            counts = List.copyOf(counts);
            if (counts.size() != bounds.size() + 1) {
                throw new IllegalArgumentException("a histogram with " + bounds.size() + " bounds has " + (bounds.size() + 1)
                        + " counts, not " + counts.size());
            }
            for (int i = 1; i < bounds.size(); i++) {
                if (!(bounds.get(i - 1) < bounds.get(i))) {
                    throw new IllegalArgumentException("bounds of a histogram ascend, but " + bounds.get(i - 1) + " is before " + bounds.get(i));
                }
            }
            for (long count : counts) {
                if (count < 0) {
                    throw new IllegalArgumentException("a count of a histogram is negative: " + count);
                }
            }
        }

        /** Returns the number of values. */
        public long count() {
            return counts.stream().mapToLong(Long::longValue).sum();
        }
    }

    /** Returns a number without a unit. */
    static Body of(double value) {
        return new Number(value, "");
    }

    /** Returns a number with its unit. */
    static Body of(double value, String unit) {
        return new Number(value, unit);
    }

    /** Returns a text. */
    static Body of(String text) {
        return new Text(text);
    }

    /** Returns bytes. The array is not copied. */
    static Body of(byte[] bytes) {
        return new Bytes(bytes);
    }
}
