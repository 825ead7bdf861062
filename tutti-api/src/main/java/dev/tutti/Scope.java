package dev.tutti;

import dev.tutti.protocols.packing.Marks;

/**
 * Set of messages that a message is ordered with.
 *
 * <p>Messages of one sender in the same scope are delivered in the order in which they were sent, one at a time; in causal
 * and total groups those of all senders in the group's order. Messages in different scopes, and messages in none, are in no
 * order with each other: listeners are called for them side by side, each scope on a virtual thread while it has something.
 * Views are fences: what was delivered in one is done before the next is told.
 *
 * <p>{@link #OUT_OF_BAND} is in order with nothing: such a message arrives as reliably as others, overtakes what waits to be
 * sent or delivered, and may come before its view is told. It has to fit into a packet.
 *
 * <p>Groups with {@link GroupBuilder#inline} deliver everything on the loop, one after the other.
 */
public final class Scope extends SendOptions {

    /** Scope of messages without any order, for short and urgent ones. */
    public static final Scope OUT_OF_BAND = new Scope(Marks.OUT_OF_BAND);

    private Scope(Marks marks) {
        super(marks);
    }

    /** Returns the scope of a key. Two keys may, rarely, share one; their messages are ordered then. */
    public static Scope of(String key) {
        return new Scope(Marks.inScope(mix(key.hashCode())));
    }

    /** Returns the scope of a key. Two keys may, rarely, share one; their messages are ordered then. */
    public static Scope of(long key) {
        return new Scope(Marks.inScope(Long.hashCode(key)));
    }

    private static int mix(int hash) {
        int mixed = (hash ^ hash >>> 16) * 0x85EBCA6B;
        return mixed ^ mixed >>> 13;
    }
}
