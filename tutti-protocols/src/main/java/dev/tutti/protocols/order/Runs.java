package dev.tutti.protocols.order;

/** Queue of ranks, stored as runs of equal ones. It allocates only to grow. */
final class Runs {

    private int[] ranks = new int[16];
    private int[] counts = new int[16];
    private int first;
    private int size;
    private long total;

    boolean isEmpty() {
        return size == 0;
    }

    /** Returns the number of runs. */
    int size() {
        return size;
    }

    /** Returns the number of ranks in all runs. */
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

    /** Returns the rank of the oldest run. */
    int rank() {
        return ranks[first];
    }

    /** Returns the length of the oldest run. */
    int count() {
        return counts[first];
    }

    /** Removes one rank of the oldest run. */
    void takeOne() {
        total--;
        counts[first]--;
        if (counts[first] == 0) {
            drop();
        }
    }

    /** Removes the oldest run. */
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
