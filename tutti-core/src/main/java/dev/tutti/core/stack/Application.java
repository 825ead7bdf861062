package dev.tutti.core.stack;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;

/**
 * The upper end of a stack. Called on the loop, after the turn: it may queue, or call the application inline, but never
 * wait and never enter the machine.
 */
public interface Application {

    /**
     * Records, in order, from one sender: messages, or a piece of one. The packet passes to the application, which hands
     * it back to the node when it has consumed it; until then it fills the sender's window.
     */
    void onPacket(Member sender, Packet packet);

    /**
     * In a group with safe delivery, messages delivered from now on until the next view were not known to be at all
     * members of the present one when it ended. The members that go on together deliver them.
     */
    default void onTransition() {}

    /**
     * In a group with a primary partition, this member is not in it, as far as it knows. Nothing is sent until the next
     * view. Messages of the last view may still come, right before the next one, as other members of the last view have
     * them.
     *
     * @param reason for people: the missing members
     */
    default void onSuspended(String reason) {}

    /**
     * There is new knowledge about the members that deliver a packet of this one. The first call comes when the packet
     * is sent. The last call leaves no receiver unknown, or never comes.
     *
     * @param ticket ticket of the packet, see {@link Packet#ticket}
     */
    default void onKnown(long ticket, Delivery delivery) {}

    /** A view is installed; later deliveries are in it. */
    void onView(View view);

    /**
     * All addresses were asked: the member is in a view with the members that were found, or none was found. Called
     * once; a join waits for it.
     */
    void onJoined();

    /** The member has left the group, or was stopped; nothing follows. */
    void onLeft(String reason);
}
