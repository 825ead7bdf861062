package dev.tutti.core.stack;

import dev.tutti.core.Packet;
import java.util.List;

/**
 * One protocol of a group's stack.
 *
 * <p>A deterministic machine: it learns the time and its randomness from the {@link Outbox} and keeps no other state
 * than its fields. Nothing that it emits runs before it has returned. It is never called from two threads.
 */
public interface Layer {

    /** From above: a packet on its way out. */
    void onSend(Packet packet, Outbox out);

    /** From below: a packet that has arrived. */
    void onReceive(Packet packet, Outbox out);

    /** From above: the application has consumed a packet that was delivered to it. */
    default void onConsumed(Packet packet, Outbox out) {
        out.consumed(packet);
    }

    /** From above or below: a signal. A layer forwards signals that it does not know. */
    default void onSignal(Signal signal, Outbox out) {
        out.forward(signal);
    }

    /** All input of the turn has been handled: the place for one acknowledgement, one request. */
    default void onTurnEnd(Outbox out) {}

    /** Returns the timers that the layer arms: all constants of its enum, in their order. */
    default List<? extends Timer> timers() {
        return List.of();
    }

    /**
     * A timer has fired. Early, late and repeated calls are harmless.
     *
     * @param timer one of {@link #timers}
     */
    default void onTimer(Timer timer, Outbox out) {}

    /** The stack has ended, and this is the last call: the layer releases all its packets. */
    default void onStop() {}

    /** Writes its counters and state. */
    default void report(Report report) {}
}
