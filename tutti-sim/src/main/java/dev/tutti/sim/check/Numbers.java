package dev.tutti.sim.check;

import java.util.Arrays;

/** Numbers in the order in which they were added. */
final class Numbers {

    private long[] values = new long[8];
    private int size;

    void add(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    int size() {
        return size;
    }

    long get(int index) {
        return values[index];
    }
}
