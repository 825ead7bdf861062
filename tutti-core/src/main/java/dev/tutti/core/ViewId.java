package dev.tutti.core;

import java.util.Comparator;

/**
 * The id of a view, which is the ballot that made it (spec/VIEWCHANGE.md, section 1, idea 3).
 *
 * <p>At every member the numbers of the views that it installs grow strictly. Equal ids mean equal content, because a
 * proposer never uses a ballot twice; two partitions may use one number, never one id.
 *
 * @param number counts views, from 1
 * @param attempt counts ballots for one number, from 1
 * @param proposer who ran the ballot
 */
public record ViewId(long number, int attempt, Member proposer) implements Comparable<ViewId> {

    private static final Comparator<ViewId> ORDER = Comparator.comparingLong(ViewId::number)
            .thenComparingInt(ViewId::attempt)
            .thenComparing(ViewId::proposer);

    @Override
    public int compareTo(ViewId other) {
        return ORDER.compare(this, other);
    }

    public boolean isAfter(ViewId other) {
        return compareTo(other) > 0;
    }

    @Override
    public String toString() {
        return number + "." + attempt + "@" + proposer;
    }
}
