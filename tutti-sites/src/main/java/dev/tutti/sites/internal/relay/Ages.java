package dev.tutti.sites.internal.relay;

import java.util.ArrayDeque;

/**
 * Times at which positions of a log were written, to within the time between two looks: so that no message needs a time of its own.
 * Not thread-safe.
 */
final class Ages {

    /** Most marks; beyond it every second one is given up, so that old ages get coarser. */
    static final int MARKS_MAX = 512;

    /** The log ended before {@code end} at that time. */
    private record Mark(long end, long nanos) {}

    private final ArrayDeque<Mark> marks = new ArrayDeque<>();

    /** Notes the present positions of the log. */
    void look(long first, long end, long nowNanos) {
        while (!marks.isEmpty() && marks.getFirst().end <= first) {
            marks.removeFirst();
        }
        if (first < end && (marks.isEmpty() || marks.getLast().end < end)) {
            marks.addLast(new Mark(end, nowNanos));
        }
        if (marks.size() > MARKS_MAX) {
            boolean[] isSecond = {true};
            marks.removeIf(mark -> isSecond[0] = !isSecond[0]);
        }
    }

    /** Returns the time since a position was written; 0 if that was after the last look. */
    long of(long position, long nowNanos) {
        for (Mark mark : marks) {
            if (position < mark.end) {
                return nowNanos - mark.nanos;
            }
        }
        return 0;
    }

    void clear() {
        marks.clear();
    }
}
