package dev.tutti.core.driver;

import dev.tutti.core.Packet;

/** Effects that a {@link Machine} requests of its driver. An effect must not call the machine. */
public interface Effects {

    /**
     * Connects to {@code address}. Answered by {@code onConnected} or {@code onDialFailed} unless the machine closes it
     * before; the driver gives up by itself after its connect time-out.
     */
    void dial(int connection, String address);

    /**
     * Connects to {@code address} without a server in between; otherwise as {@link #dial}. A refusal says nothing about the other
     * process, since it may come from what stands in the way: it is answered as {@link DialFailure#UNREACHABLE}.
     */
    default void dialDirectly(int connection, String address) {
        dial(connection, address);
    }

    /**
     * Sends a frame, after earlier ones. The packet passes to the driver, which writes its length as four bytes before
     * it and releases it when it was sent. Frames of one drain are flushed together. For a connection that has ended
     * the packet is only released.
     */
    void write(int connection, Packet frame);

    /** Ends a connection after sending pending frames. The machine gets no more input of it. */
    void close(int connection, String reason);
}
