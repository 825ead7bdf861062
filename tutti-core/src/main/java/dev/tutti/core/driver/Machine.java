package dev.tutti.core.driver;

import dev.tutti.core.Packet;

/**
 * A node as its driver sees it: inputs go in with the time, effects come out.
 *
 * <p>A deterministic machine: the same inputs at the same times give the same effects, to the byte. One thread at a time
 * may use it. A <em>turn</em> is one or several inputs and then {@link #drain}; a driver that has more input at hand
 * gives it all before it drains, because what leaves in one turn is acknowledged and written together.
 *
 * <p>Times are nanoseconds of a clock that never goes back and has any origin. Connections are numbered by the machine;
 * a number is never used again.
 */
public interface Machine {

    /** The driver is ready: the machine may dial. Called once, before any other input. */
    void onStart(long nowNanos);

    /**
     * Somebody has connected. With TLS this is called only after the handshake, so that nobody is heard who is not
     * authenticated.
     *
     * @param remote where from, for people
     * @return the number of the connection
     */
    int onAccepted(long nowNanos, String remote);

    /**
     * A connection of somebody else was refused before it was open: its TLS handshake failed.
     *
     * @param remote where from, for people
     * @param detail why, for people
     */
    default void onRejected(long nowNanos, String remote, String detail) {}

    /**
     * The other end of a connection has proven who it is. Called with TLS only: after {@link #onAccepted}, or before
     * {@link #onConnected}, and before the first frame.
     */
    default void onCredentials(long nowNanos, int connection, Credentials credentials) {}

    /** A connection that the machine has dialled is there (and its TLS handshake is done). */
    void onConnected(long nowNanos, int connection);

    /** A connection that the machine has dialled did not come about. */
    void onDialFailed(long nowNanos, int connection, DialFailure failure, String detail);

    /**
     * A whole frame has arrived, without its length prefix. The packet passes to the machine; its memory stays as it is
     * until the machine has released it.
     */
    void onFrame(long nowNanos, int connection, Packet frame);

    /**
     * A connection has ended that the machine had not closed.
     *
     * @param isOrderly the other end closed it; false if it broke, or sent what no peer sends
     */
    void onDisconnected(long nowNanos, int connection, boolean isOrderly, String detail);

    /** Time has passed. Early, late and repeated calls are harmless. */
    void onTimer(long nowNanos);

    /** Whether {@link #onProcessor} is of use at present. Valid after {@link #drain}. */
    default boolean isProcessorOfInterest() {
        return false;
    }

    /**
     * How the processor is, some times a second while there are turns and it is of interest.
     *
     * @param isBusy whether there is hardly time left, for the driver or on the machine
     */
    default void onProcessor(long nowNanos, boolean isBusy) {}

    /** When {@link #onTimer} wants to be called next; {@link Long#MAX_VALUE} for never. Valid after {@link #drain}. */
    long nextDeadline();

    /** Hands out what the turn has led to, in order. The machine is not re-entered from an effect. */
    void drain(Effects effects);
}
