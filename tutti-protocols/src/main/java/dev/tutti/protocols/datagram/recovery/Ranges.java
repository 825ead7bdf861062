package dev.tutti.protocols.datagram.recovery;

import java.util.Arrays;

/** Numbers, as disjoint half-open ranges in ascending order that do not touch. */
public final class Ranges {

    /** Start and end of one range after the other. */
    private long[] bounds = new long[16];

    private int count;

    public int count() {
        return count;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    public long start(int index) {
        return bounds[2 * index];
    }

    public long end(int index) {
        return bounds[2 * index + 1];
    }

    public boolean contains(long number) {
        int index = firstEndingAbove(number);
        return index < count && start(index) <= number;
    }

    /**
     * Adds the numbers from {@code start} to before {@code end}.
     *
     * @return whether one of them was not there
     */
    public boolean add(long start, long end) {
        if (start >= end) {
            return false;
        }
        int from = firstEndingAbove(start - 1);
        if (from < count && start(from) <= start && end <= end(from)) {
            return false;
        }
        int to = from;
        long mergedStart = start;
        long mergedEnd = end;
        while (to < count && start(to) <= end) {
            mergedStart = Math.min(mergedStart, start(to));
            mergedEnd = Math.max(mergedEnd, end(to));
            to++;
        }
        replace(from, to, 1);
        bounds[2 * from] = mergedStart;
        bounds[2 * from + 1] = mergedEnd;
        return true;
    }

    public void remove(long start, long end) {
        int from = firstEndingAbove(start);
        if (start >= end || from == count || start(from) >= end) {
            return;
        }
        int to = from;
        long keptStart = start(from);
        long keptEnd = keptStart;
        while (to < count && start(to) < end) {
            keptEnd = end(to);
            to++;
        }
        boolean isHeadKept = keptStart < start;
        boolean isTailKept = end < keptEnd;
        replace(from, to, (isHeadKept ? 1 : 0) + (isTailKept ? 1 : 0));
        int at = 2 * from;
        if (isHeadKept) {
            bounds[at++] = keptStart;
            bounds[at++] = start;
        }
        if (isTailKept) {
            bounds[at++] = end;
            bounds[at] = keptEnd;
        }
    }

    public void removeFirst() {
        replace(0, 1, 0);
    }

    /** Returns the index of the first range that reaches above {@code number}; {@link #count} if none does. */
    private int firstEndingAbove(long number) {
        int index = count;
        // The range is nearly always close to the end.
        while (index > 0 && end(index - 1) > number) {
            index--;
            if (count - index > LINEAR_MAX) {
                return search(number, index);
            }
        }
        return index;
    }

    private int search(long number, int high) {
        int low = 0;
        int top = high;
        while (low < top) {
            int middle = (low + top) >>> 1;
            if (end(middle) > number) {
                top = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private void replace(int from, int to, int with) {
        int newCount = count - (to - from) + with;
        if (2 * newCount > bounds.length) {
            bounds = Arrays.copyOf(bounds, 2 * bounds.length);
        }
        System.arraycopy(bounds, 2 * to, bounds, 2 * (from + with), 2 * (count - to));
        count = newCount;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int index = 0; index < count; index++) {
            text.append('[').append(start(index)).append(", ").append(end(index)).append(')');
        }
        return text.toString();
    }

    private static final int LINEAR_MAX = 8;
}
