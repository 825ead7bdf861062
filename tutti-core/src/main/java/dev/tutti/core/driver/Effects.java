package dev.tutti.core.driver;

import dev.tutti.core.Packet;

/** What a {@link Machine} wants its driver to do. An effect must not call the machine. */
public interface Effects {

    /**
     * Connect to {@code address}. Answered by {@code onConnected} or {@code onDialFailed} unless the machine closes it
     * before; the driver gives up by itself after its connect time-out.
     */
    void dial(int connection, String address);

    /**
     * Send a frame, after those before it. The packet passes to the driver, which writes its length as four bytes before
     * it and releases it when it has left. Frames of one drain are flushed together. For a connection that has ended the
     * packet is just released.
     */
    void write(int connection, Packet frame);

    /** End a connection after what was written to it. The machine hears no more of it. */
    void close(int connection, String reason);
}
