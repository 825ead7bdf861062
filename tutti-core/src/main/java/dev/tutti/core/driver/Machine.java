package dev.tutti.core.driver;

import dev.tutti.core.Packet;

/**
 * Node as its driver sees it: inputs go in with the time, effects come out.
 *
 * <p>A deterministic machine: the same inputs at the same times give the same effects, to the byte. One thread at a
 * time may use it. A <em>turn</em> is one or several inputs and then {@link #drain}. A driver that has more input
 * available gives it all before it drains, because the output of one turn is acknowledged and written together.
 *
 * <p>Times are nanoseconds of a clock that never goes back and has any origin. Connections are numbered by the machine;
 * a number is never used again.
 */
public interface Machine {

    /** The driver is ready: the machine may dial. Called once, before any other input. */
    void onStart(long nowNanos);

    /**
     * A remote end has connected. With TLS this is called only after the handshake, so that only authenticated ones get
     * this far.
     *
     * @param remote remote address, for people
     * @return the number of the connection
     */
    int onAccepted(long nowNanos, String remote);

    /**
     * An incoming connection was refused before it was open: its TLS handshake failed.
     *
     * @param remote remote address, for people
     * @param detail reason, for people
     */
    default void onRejected(long nowNanos, String remote, String detail) {}

    /**
     * The other end of a connection has authenticated. Called with TLS only: after {@link #onAccepted}, or before
     * {@link #onConnected}, and before the first frame.
     */
    default void onCredentials(long nowNanos, int connection, Credentials credentials) {}

    /**
     * A connection passes through a server, since a direct one could not be opened. The machine may look for a direct one with
     * {@link Effects#dialDirectly}. Called after {@link #onAccepted}, or before {@link #onConnected}, and before the first frame.
     *
     * @param server the server, for people
     */
    default void onRelayed(long nowNanos, int connection, String server) {}

    /** A connection that the machine has dialled is open (and its TLS handshake is done). */
    void onConnected(long nowNanos, int connection);

    /** A connection that the machine has dialled could not be opened. */
    void onDialFailed(long nowNanos, int connection, DialFailure failure, String detail);

    /**
     * A whole frame has arrived, without its length prefix. The packet passes to the machine; its memory is not changed
     * until the machine has released it.
     */
    void onFrame(long nowNanos, int connection, Packet frame);

    /**
     * A connection has ended that the machine had not closed.
     *
     * @param isOrderly the other end closed it; false if it broke, or the other end sent something that no peer sends
     */
    void onDisconnected(long nowNanos, int connection, boolean isOrderly, String detail);

    /** Time has passed. Early, late and repeated calls are harmless. */
    void onTimer(long nowNanos);

    /** Returns whether {@link #onProcessor} should be called at present. Valid after {@link #drain}. */
    default boolean isProcessorOfInterest() {
        return false;
    }

    /**
     * Takes the load of the CPU, a few times per second while there are turns and it is of interest.
     *
     * @param isBusy whether hardly any CPU time is left, for the driver or on the machine
     */
    default void onProcessor(long nowNanos, boolean isBusy) {}

    /** Returns the time of the next {@link #onTimer}; {@link Long#MAX_VALUE} for never. Valid after {@link #drain}. */
    long nextDeadline();

    /** Hands out the effects of the turn, in order. The machine is not re-entered from an effect. */
    void drain(Effects effects);
}
