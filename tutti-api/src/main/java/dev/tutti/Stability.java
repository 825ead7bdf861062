package dev.tutti;

/**
 * The members of a view that must have a message before it counts as stable.
 *
 * <p>A member has a message when it has received it and all earlier messages of the sender: it delivers the message in
 * that view then, unless it crashes or leaves. Its listeners need not have run.
 */
public enum Stability {

    /** Every member of the view: all survivors deliver the message. */
    ALL,

    /**
     * More than half of the members of the view, the sender included. Members that continue together deliver the
     * message if they are more than half of the view, so a partition of the network does not undo it. Crashes of as
     * many members as have it may, also with {@code partition: primary}, where a restarted process votes, and no longer
     * has the message.
     */
    MAJORITY
}
