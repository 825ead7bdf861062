package dev.tutti.internal.delivery;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import java.util.Map;
import java.util.function.Consumer;

/** Holds items back from a group's listeners while this member lacks the state of the group that precedes them. */
public interface DeliveryGate {

    /** Results of offering an item on its way to listeners. */
    enum Taken {
        /** The item may go to listeners. */
        NO,
        /** The item waits at the gate; a packet was copied. */
        YES,
        /** There is no room for the item at the gate either. Offer it again after the next look. */
        FULL
    }

    // ------------------------------------------------------------------ on the loop

    /** Notes an installed view; the returned item goes to listeners in its place. */
    Item.ViewChange onView(View view);

    void onJoined();

    /** Handles a packet about the state; the packet stays the caller's. */
    void onPacket(Member sender, Packet packet);

    // ------------------------------------------------------------------ where listeners are called

    /** Returns whether an item waits, or may go on to listeners. */
    Taken take(Item item);

    /**
     * Gives listeners the items that may go on now.
     *
     * @param beforeView waits until listeners are done with the items that precede a view
     */
    void look(Consumer<Item> listeners, Runnable beforeView);

    /** Notes that the group is left: waiting items are lost. */
    void abandon();

    // ------------------------------------------------------------------ from any thread

    /** Returns whether items wait. */
    boolean isHolding();

    /** Returns the progress towards the state, for {@code tutti view}. */
    Map<String, Object> status();
}
