package dev.tutti.blocks.map;

/** Policy for a map that has reached its maximum. */
public enum Overflow {
    /** Refuses new keys ({@link MapException.Reason#FULL}); present ones can be changed and removed. */
    REFUSE,
    /** Removes the entries that have not been written for the longest time, at all members. */
    EVICT
}
