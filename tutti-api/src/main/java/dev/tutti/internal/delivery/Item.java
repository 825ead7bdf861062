package dev.tutti.internal.delivery;

import dev.tutti.core.Packet;
import dev.tutti.core.View;

/** Item of a group's {@link DeliveryQueue}, which holds them in the order in which listeners are told of them. */
public sealed interface Item {

    /** A packet with messages or a piece of one. */
    record Arrival(Packet packet) implements Item {}

    /** A view that listeners are told. Implemented by a {@link DeliveryGate}, too, which decides something about each view. */
    non-sealed interface ViewChange extends Item {
        View view();
    }

    /** A view of a group without a state. */
    record Installed(View view) implements ViewChange {}

    /** The members of the view go on with different next views. */
    record Transition() implements Item {}

    /** This member is outside of the primary partition. */
    record Suspended(String reason) implements Item {}

    /** This member has joined, and has asked everybody. */
    record Joined() implements Item {}

    /** This member has left; the last item. */
    record Left(String reason) implements Item {}

    /** A change of the {@link DeliveryGate}, which may let waiting items pass. */
    record GateChange() implements Item {}
}
