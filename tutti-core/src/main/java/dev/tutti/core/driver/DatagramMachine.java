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

    /**
     * The process at a watched endpoint seems to be gone: a connection of the system with it has ended, and another one is
     * refused. Something on the way may have refused it, so the machine verifies this. For an endpoint that is not watched any
     * more it is ignored.
     */
    default void onRefused(long nowNanos, Endpoint peer) {}

    /** TLS has bytes for the other end of a connection. For a connection that has ended they are ignored. */
    default void onHandshake(long nowNanos, long connection, byte[] bytes) {}

    /**
     * The other end of a connection has authenticated. On the dialling side this does not mean that it trusts this end.
     *
     * @param sendSecret secret of {@link dev.tutti.core.crypto.DatagramSeal} for datagrams to the other end
     * @param receiveSecret secret for those from it
     */
    default void onSecured(
            long nowNanos, long connection, byte[] sendSecret, byte[] receiveSecret, Credentials credentials) {}

    /**
     * A handshake has failed. The last bytes for the other end were given before.
     *
     * @param detail reason, for people; empty if there were too many to tell each
     */
    default void onHandshakeFailed(long nowNanos, long connection, String detail) {}

    /** The certificate of the other end is not trusted any more. */
    default void onDistrusted(long nowNanos, long connection, String detail) {}

    /** Time has passed. Early, late and repeated calls are harmless. */
    void onTimer(long nowNanos);

    /** Returns the time of the next {@link #onTimer}; {@link Long#MAX_VALUE} for never. Valid after {@link #drain}. */
    long nextDeadline();

    /** Hands out the effects of the turn, in order. The machine is not re-entered from an effect. */
    void drain(DatagramEffects effects);
}
