package dev.tutti.core.crypto;

/**
 * Numbers of the datagrams that have arrived from one sender, of which none is taken twice. Numbers that are
 * {@link #BITS} or more below the highest count as arrived. After RFC 6479.
 */
public final class ReplayWindow {

    /** Numbers that are told apart. */
    static final int BITS = 4_096;

    private final long[] words = new long[BITS / Long.SIZE];
    private long highest = -1;

    /** Returns whether the number has not arrived, as far as is known. */
    public boolean isNew(long number) {
        if (number < 0) {
            return false;
        }
        if (number > highest) {
            return true;
        }
        return highest - number < BITS && (words[word(number)] & 1L << number) == 0;
    }

    /** Adds a number that is new. */
    public void add(long number) {
        if (number > highest) {
            long from = Math.max(highest + 1, number - BITS + 1);
            for (long skipped = from; skipped <= number; skipped++) {
                words[word(skipped)] &= ~(1L << skipped);
            }
            highest = number;
        }
        words[word(number)] |= 1L << number;
    }

    private static int word(long number) {
        return (int) (number / Long.SIZE) & (BITS / Long.SIZE - 1);
    }
}
