package dev.tutti.grid;

import java.util.List;

/**
 * The answer to a query: everything that could be had within the deadline.
 *
 * @param items items found
 * @param missing parts of the grid that did not answer, each with the reason, as sentences for people; empty if the answer is complete
 */
public record Answer<T>(List<T> items, List<String> missing) {

    public Answer {
        items = List.copyOf(items);
        missing = List.copyOf(missing);
    }

    /** Returns whether all parts of the grid have answered. */
    public boolean isComplete() {
        return missing.isEmpty();
    }
}
