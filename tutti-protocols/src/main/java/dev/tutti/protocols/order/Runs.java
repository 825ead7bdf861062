package dev.tutti.protocols.order;

/** Ranks in an order, as runs of the same one: a queue that allocates only to grow. */
final class Runs {

    private int[] ranks = new int[16];
    private int[] counts = new int[16];
    private int first;
    private int size;
    private long total;

    boolean isEmpty() {
        return size == 0;
    }

    /** How many runs there are. */
    int size() {
        return size;
    }

    /** How many ranks there are, in all runs. */
    long total() {
        return total;
    }

    void add(int rank, int count) {
        total += count;
        int last = (first + size - 1) & (ranks.length - 1);
        if (size > 0 && ranks[last] == rank && counts[last] <= Integer.MAX_VALUE - count) {
            counts[last] += count;
            return;
        }
        if (size == ranks.length) {
            grow();
        }
        int slot = (first + size) & (ranks.length - 1);
        ranks[slot] = rank;
        counts[slot] = count;
        size++;
    }

    /** Of the oldest run. */
    int rank() {
        return ranks[first];
    }

    /** Of the oldest run. */
    int count() {
        return counts[first];
    }

    /** One of the oldest run goes. */
    void takeOne() {
        total--;
        counts[first]--;
        if (counts[first] == 0) {
            drop();
        }
    }

    /** The oldest run goes. */
    void takeRun() {
        total -= counts[first];
        drop();
    }

    private void drop() {
        first = (first + 1) & (ranks.length - 1);
        size--;
    }

    void clear() {
        first = 0;
        size = 0;
        total = 0;
    }

    private void grow() {
        int[] moreRanks = new int[ranks.length * 2];
        int[] moreCounts = new int[ranks.length * 2];
        for (int index = 0; index < size; index++) {
            int slot = (first + index) & (ranks.length - 1);
            moreRanks[index] = ranks[slot];
            moreCounts[index] = counts[slot];
        }
        ranks = moreRanks;
        counts = moreCounts;
        first = 0;
    }
}
