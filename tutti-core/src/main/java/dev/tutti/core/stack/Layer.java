package dev.tutti.core.stack;

import dev.tutti.core.Packet;
import java.util.List;

/**
 * One protocol of a group's stack.
 *
 * <p>A deterministic machine: it learns the time and its randomness from the {@link Outbox} and keeps no other state
 * than its fields. It reads no clock, starts no thread, waits for nothing and never iterates in hash order. Nothing that it
 * emits runs before it has returned. It is never called from two threads.
 *
 * <p>A packet that a method gets belongs to the layer, which passes it on exactly once: with {@link Outbox#send}, {@link
 * Outbox#deliver}, {@link Outbox#consumed} or {@link Outbox#drop}, at once or later, or {@linkplain Packet#release releases}
 * it. The content is read-only, because other packets share its memory: the copy that is kept for repairs, and the one on its
 * way to this member's own application. On the way down, a layer prepends its header into the room before the content. Packets
 * of the same content to several members may share that room, so a header that differs between them needs a {@link
 * Packet#copy} first. On the way up it takes the header off, and never writes before the content of a packet that has arrived. A layer that changes
 * content makes a new packet ({@link Packet#copy}, {@link Packet#withRoom}) and releases the old one.
 *
 * <p>Input from below is hostile until proven otherwise: a layer drops what it can't decode with {@link
 * DropReason#MALFORMED}, and throws nothing because of it.
 */
public interface Layer {

    /** From above: a packet on its way out. */
    void onSend(Packet packet, Outbox out);

    /** From below: a packet that has arrived. */
    void onReceive(Packet packet, Outbox out);

    /**
     * From above: the application has consumed a packet that was delivered to it. Windows count the bytes that reliability
     * has delivered, so a layer above it passes on the packet that it got, with its header. The stack puts the {@link
     * LayerProvider#headerBytes} of a user's layer back before it calls.
     */
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
