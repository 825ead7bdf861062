package dev.tutti.core.stack;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import java.util.random.RandomGenerator;

/** What a {@link Layer} may do. Valid during the call that it was passed to. */
public interface Outbox {

    /** To the layer below, or to the network. The packet passes on. */
    void send(Packet packet);

    /** To the layer above, or to the application. The packet passes on. */
    void deliver(Packet packet);

    /** To the layer below: the application has consumed the packet. The lowest layer's consumed packets are released. */
    void consumed(Packet packet);

    /** Counts the packet under the reason and releases it. */
    void drop(Packet packet, DropReason reason);

    /** The signal at hand goes on in its direction. */
    void forward(Signal signal);

    /** A signal to the layer above. */
    void raise(Signal signal);

    /** A signal to the layer below. */
    void lower(Signal signal);

    /** Calls {@code onTimer(timer)} after {@code delayNanos}, instead of when it was armed for before. */
    void arm(int timer, long delayNanos);

    void disarm(int timer);

    boolean isArmed(int timer);

    /** The time of this turn; it does not move within a turn. */
    long nowNanos();

    /** The layer's own stream of randomness. */
    RandomGenerator random();

    Memory memory();

    /** How many timers a layer has: they are numbered from 0. */
    int TIMERS = 8;
}
