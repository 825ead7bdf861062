package dev.tutti.blocks.map;

/** What happens when a map has as much as it may. */
public enum Overflow {
    /** A new key is refused ({@link MapException.Reason#FULL}); those that are there can be changed and removed. */
    REFUSE,
    /** The entries that have not been written for the longest time go, at all members. */
    EVICT
}
