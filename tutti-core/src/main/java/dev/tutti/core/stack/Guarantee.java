package dev.tutti.core.stack;

import java.util.List;

/**
 * Property of the packets that a layer gets from below, by which layers of the user's own find their place in a stack.
 *
 * <p>The constants are provided by layers of tutti, except where {@link #source} says that the group's settings decide. A
 * layer may provide more, under names of its own.
 *
 * @param name in lower case with hyphens, for people and for comparison
 * @param source which settings or layers provide it, as the end of the sentence "… provides it"
 */
public record Guarantee(String name, String source) {

    /** Packets are those of members in a view, and each view is signalled before its packets arrive. */
    public static final Guarantee VIEWS = new Guarantee("views", "every group");

    /** A packet is delivered in the view in which it was sent, or not at all. Packets are the application's, and those about order. */
    public static final Guarantee IN_VIEW = new Guarantee("in-view", "every group");

    /** All members that go on to the next view together deliver the same multicasts, each of them once. */
    public static final Guarantee RELIABLE = new Guarantee("reliable", "stack: fifo, causal or total");

    /** Packets of one sender arrive in the order in which it sent them. */
    public static final Guarantee FIFO = new Guarantee("fifo", "stack: fifo, causal or total");

    /** A multicast arrives after all that its sender had delivered before. */
    public static final Guarantee CAUSAL = new Guarantee("causal", "stack: causal or total");

    /** All members deliver multicasts in one order. */
    public static final Guarantee TOTAL = new Guarantee("total", "stack: total");

    /** Each packet is the application's: many messages or a piece of one, and sent once. No other layer's packets are among them. */
    public static final Guarantee APPLICATION = new Guarantee("application", "every group");

    /** Guarantees of tutti's own layers. */
    public static final List<Guarantee> ALL = List.of(VIEWS, IN_VIEW, RELIABLE, FIFO, CAUSAL, TOTAL, APPLICATION);

    /** Returns a guarantee that a layer of the user's own provides. */
    public static Guarantee of(String name) {
        return new Guarantee(name, "a layer whose provides() names it");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Guarantee guarantee && name.equals(guarantee.name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return name;
    }
}
