package dev.tutti.sim.application;

import dev.tutti.core.Packet;
import java.util.function.Consumer;

/** Extracts the messages from the packets of one sender, in order; keeps messages that a packet leaves unfinished. */
@FunctionalInterface
public interface MessageReader {

    /** Reads all of {@code packet}, which stays with the caller. */
    void read(Packet packet, Consumer<byte[]> messages);
}
