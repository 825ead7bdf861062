package dev.tutti.protocols.reliability;

import dev.tutti.core.Packet;

/** Bytes of a window that a packet takes, counted alike at both ends. */
public final class Charge {

    private Charge() {}

    /** Bytes added to a packet's length, for the memory of keeping it. */
    public static final int OVERHEAD_BYTES = 128;

    public static long of(Packet packet) {
        return packet.length() + (long) OVERHEAD_BYTES;
    }
}
