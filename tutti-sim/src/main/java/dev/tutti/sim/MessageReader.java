package dev.tutti.sim;

import dev.tutti.core.Packet;
import java.util.function.Consumer;

/** Takes the messages out of the packets of one sender, in order; keeps what a packet leaves unfinished. */
@FunctionalInterface
public interface MessageReader {

    /** Reads all of {@code packet}, which stays with the caller. */
    void read(Packet packet, Consumer<byte[]> messages);
}
