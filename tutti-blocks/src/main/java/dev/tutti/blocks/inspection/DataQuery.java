package dev.tutti.blocks.inspection;

/**
 * Question for a page of a view of data, for {@link Inspection#page}.
 *
 * @param kind kind of the view, as {@link Inspection#views} names it: {@code locks}
 * @param prefix beginning of the first text of the rows that are wanted; empty for all
 * @param after {@code next} of the page before; empty for the first
 */
public record DataQuery(String group, String kind, String prefix, String after) {}
