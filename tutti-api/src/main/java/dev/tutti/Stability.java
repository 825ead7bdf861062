package dev.tutti;

import dev.tutti.core.Delivery;

/**
 * The members of a view that must have a message before it counts as stable.
 *
 * <p>A member has a message when it has received it, with all that its sender sent before: it delivers the message in that
 * view then, unless it crashes or leaves. Whether its listeners have run is not asked.
 */
public enum Stability {

    /** Every member of the view: whoever survives delivers the message. */
    ALL {
        @Override
        boolean isReached(Delivery delivery) {
            return delivery.isByAll();
        }
    },

    /**
     * More than half of the members of the view, the sender included: members that go on together deliver the message if they
     * are more than half of the view. So a partition of the network does not undo it; crashes of as many members as have it
     * may, also with {@code partition: primary}, where a process that was restarted votes, and no longer has the message.
     */
    MAJORITY {
        @Override
        boolean isReached(Delivery delivery) {
            return delivery.isByMajority();
        }
    };

    abstract boolean isReached(Delivery delivery);
}
