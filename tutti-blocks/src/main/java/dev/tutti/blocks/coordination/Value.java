package dev.tutti.blocks.coordination;

/**
 * A counter's value.
 *
 * @param number 0 in the beginning
 * @param era the epoch in which the state of the group has begun. It is another, higher one, and the number was 0 again, only
 *     after all members that had the state were gone at once
 */
public record Value(long number, long era) {}
