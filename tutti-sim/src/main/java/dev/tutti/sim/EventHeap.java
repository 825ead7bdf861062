package dev.tutti.sim;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Events by (time, sequence): a heap with four children per node, in arrays of primitives. */
final class EventHeap {

    private static final int CHILDREN = 4;

    private long[] times = new long[64];
    private long[] sequences = new long[64];
    private @Nullable Runnable[] actions = new Runnable[64];
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    /** Returns the time of the first event; {@link Long#MAX_VALUE} if there is none. */
    long firstNanos() {
        return size == 0 ? Long.MAX_VALUE : times[0];
    }

    long firstSequence() {
        return sequences[0];
    }

    void add(long timeNanos, long sequence, Runnable action) {
        if (size == times.length) {
            times = Arrays.copyOf(times, 2 * size);
            sequences = Arrays.copyOf(sequences, 2 * size);
            actions = Arrays.copyOf(actions, 2 * size);
        }
        int slot = size++;
        while (slot > 0) {
            int parent = (slot - 1) / CHILDREN;
            if (isBefore(times[parent], sequences[parent], timeNanos, sequence)) {
                break;
            }
            move(parent, slot);
            slot = parent;
        }
        set(slot, timeNanos, sequence, action);
    }

    /** Takes the first event. */
    Runnable take() {
        Runnable first = actions[0];
        if (first == null) {
            throw new IllegalStateException("taken from an empty agenda");
        }
        size--;
        long time = times[size];
        long number = sequences[size];
        Runnable last = actions[size];
        actions[size] = null;
        if (size > 0 && last != null) {
            sink(time, number, last);
        }
        return first;
    }

    private void sink(long time, long number, Runnable action) {
        int slot = 0;
        int child = 1;
        while (child < size) {
            int least = child;
            int end = Math.min(child + CHILDREN, size);
            for (int other = child + 1; other < end; other++) {
                if (isBefore(times[other], sequences[other], times[least], sequences[least])) {
                    least = other;
                }
            }
            if (isBefore(time, number, times[least], sequences[least])) {
                break;
            }
            move(least, slot);
            slot = least;
            child = CHILDREN * slot + 1;
        }
        set(slot, time, number, action);
    }

    private static boolean isBefore(long time, long number, long otherTime, long otherNumber) {
        return time < otherTime || time == otherTime && number < otherNumber;
    }

    private void move(int from, int to) {
        times[to] = times[from];
        sequences[to] = sequences[from];
        actions[to] = actions[from];
    }

    private void set(int slot, long time, long number, Runnable action) {
        times[slot] = time;
        sequences[slot] = number;
        actions[slot] = action;
    }
}
