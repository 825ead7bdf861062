package dev.tutti.core;

/**
 * The id of a view, which is the ballot that made it (spec/VIEWCHANGE.md, section 1, idea 3).
 *
 * <p>At every member the numbers of the views that it installs grow strictly. Equal ids mean equal content, because a
 * proposer never uses a ballot twice; two partitions may use one number, never one id.
 *
 * @param number counts views, from 1
 * @param attempt counts ballots for one number, from 1
 * @param proposer member that ran the ballot
 */
public record ViewId(long number, int attempt, Member proposer) implements Comparable<ViewId> {

    @Override
    public int compareTo(ViewId other) {
        int order = Long.compare(number, other.number);
        if (order == 0) {
            order = Integer.compare(attempt, other.attempt);
        }
        return order != 0 ? order : proposer.compareTo(other.proposer);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ViewId id
                && id.number == number
                && id.attempt == attempt
                && id.proposer.equals(proposer);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number) * 31 + attempt;
    }

    public boolean isAfter(ViewId other) {
        return compareTo(other) > 0;
    }

    @Override
    public String toString() {
        return number + "." + attempt + "@" + proposer.name();
    }
}
