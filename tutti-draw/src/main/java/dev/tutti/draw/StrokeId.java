package dev.tutti.draw;

import java.util.Comparator;

/**
 * Id of a stroke, which also gives the order of strokes: the one with the greater id lies above. The time is a Lamport
 * clock: a page begins a stroke with one more than all times it has seen, so that a stroke drawn over another lies
 * above it everywhere.
 *
 * @param author identifier that a page draws at random, a to z and 0 to 9
 */
record StrokeId(long time, String author) implements Comparable<StrokeId> {

    /** Largest time; exact in a JavaScript number. */
    static final long TIME_MAX = 1_000_000_000_000L;

    static final int AUTHOR_LENGTH_MAX = 16;

    /** Id before all strokes. */
    static final StrokeId NONE = new StrokeId(0, "");

    private static final Comparator<StrokeId> ORDER =
            Comparator.comparingLong(StrokeId::time).thenComparing(StrokeId::author);

    /**
     * Reads {@code 17.k3f9}.
     *
     * @throws IllegalArgumentException if it is no id
     */
    static StrokeId parse(String text) {
        int dot = text.indexOf('.');
        String author = text.substring(dot + 1);
        if (dot < 1 || dot > 13 || author.isEmpty() || author.length() > AUTHOR_LENGTH_MAX) {
            throw new IllegalArgumentException("'" + text + "' is no id of a stroke, such as 17.k3f9");
        }
        for (int index = 0; index < author.length(); index++) {
            char character = author.charAt(index);
            boolean isFit = character >= 'a' && character <= 'z' || character >= '0' && character <= '9';
            if (!isFit) {
                throw new IllegalArgumentException("the author of '" + text + "' has more than a to z and 0 to 9");
            }
        }
        long time = Long.parseLong(text, 0, dot, 10);
        if (time < 1 || time > TIME_MAX) {
            throw new IllegalArgumentException("the time of '" + text + "' is not from 1 to " + TIME_MAX);
        }
        return new StrokeId(time, author);
    }

    @Override
    public int compareTo(StrokeId other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return time + "." + author;
    }
}
