package dev.tutti.core.driver;

import dev.tutti.core.Packet;
import org.jspecify.annotations.Nullable;

/**
 * Node on datagrams as its driver sees it, the counterpart of {@link Machine} on streams. Datagrams may be lost,
 * repeated, altered or reordered; the sender's address may be forged.
 *
 * <p>Deterministic, one thread at a time, turns and times as for {@link Machine}.
 */
public interface DatagramMachine {

    /** The driver is ready. Called once, before any other input. */
    void onStart(long nowNanos);

    /**
     * A datagram has arrived, sent to this node or to the multicast group. The packet passes to the machine; its memory
     * is not changed until the machine has released it.
     */
    void onDatagram(long nowNanos, Endpoint from, Packet datagram);

    /**
     * Answers {@link DatagramEffects#resolve}.
     *
     * @param endpoint null if the name has no address
     */
    void onResolved(long nowNanos, String address, @Nullable Endpoint endpoint);

    /** Time has passed. Early, late and repeated calls are harmless. */
    void onTimer(long nowNanos);

    /** Returns the time of the next {@link #onTimer}; {@link Long#MAX_VALUE} for never. Valid after {@link #drain}. */
    long nextDeadline();

    /** Hands out the effects of the turn, in order. The machine is not re-entered from an effect. */
    void drain(DatagramEffects effects);
}
