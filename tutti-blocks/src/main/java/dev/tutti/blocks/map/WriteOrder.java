package dev.tutti.blocks.map;

/** Order that decides which of two writes of a key is the last one, if neither writer knew of the other. */
public enum WriteOrder {
    /**
     * The time of the write, by a hybrid logical clock: the wall clocks of the members, and the order in which members learned
     * of each other's writes. Wall clocks decide which write stands, never whether members agree.
     */
    TIME,
    /**
     * The number of the view that delivers the write, then the writer's Lamport clock, then its rank. No clock is read. After a
     * partition the side with the higher view numbers wins, whichever side wrote later.
     */
    VIEW
}
