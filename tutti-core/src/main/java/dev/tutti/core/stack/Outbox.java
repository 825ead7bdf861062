package dev.tutti.core.stack;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import java.util.random.RandomGenerator;

/** Operations available to a {@link Layer}. Valid during the call that it was passed to. */
public interface Outbox {

    /** Passes a packet and its ownership to the layer below, or to the network. */
    void send(Packet packet);

    /** Passes a packet and its ownership to the layer above, or to the application. */
    void deliver(Packet packet);

    /** Tells the layer below that the application has consumed the packet. Below the lowest layer it is released. */
    void consumed(Packet packet);

    /** Counts the packet under the reason and releases it. */
    void drop(Packet packet, DropReason reason);

    /** Passes on the signal at hand in its direction. */
    void forward(Signal signal);

    /** Sends a signal to the layer above. */
    void raise(Signal signal);

    /** Sends a signal to the layer below. */
    void lower(Signal signal);

    /**
     * Calls {@code onTimer(timer)} after {@code delayNanos}. Replaces an earlier time of this timer.
     *
     * @throws IllegalArgumentException if the timer is not one of {@link Layer#timers}
     */
    void arm(Timer timer, long delayNanos);

    void disarm(Timer timer);

    boolean isArmed(Timer timer);

    /** Returns the time of this turn, which is constant within a turn. */
    long nowNanos();

    /** Returns the layer's own stream of randomness. */
    RandomGenerator random();

    Memory memory();
}
