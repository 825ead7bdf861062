package dev.tutti.grid;

/** Policy of a queue of measurements that is full. Consumers are told of what is dropped. */
public enum WhenFull {
    /** The oldest measurement is dropped. */
    DROP_OLDEST,
    /** The new measurement is dropped. */
    DROP_NEWEST
}
