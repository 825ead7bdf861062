package dev.tutti.grid.match;

/** A value of the index, with its place in the order in which values came. */
final class Target<T> implements Comparable<Target<T>> {

    private final T value;
    private final long number;

    /** Filters that have the value. Only for the writer. */
    private int filters;

    Target(T value, long number) {
        this.value = value;
        this.number = number;
    }

    T value() {
        return value;
    }

    /** Adds to the number of filters, and returns it. */
    int addFilters(int difference) {
        filters += difference;
        return filters;
    }

    @Override
    public int compareTo(Target<T> other) {
        return Long.compare(number, other.number);
    }
}
