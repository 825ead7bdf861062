package dev.tutti.protocols.reliability;

import dev.tutti.core.Packet;

/** What a packet costs of a window: both ends count alike. */
public final class Charge {

    private Charge() {}

    /** Added to a packet's length: what keeping it costs beside its bytes. */
    public static final int OVERHEAD_BYTES = 128;

    public static long of(Packet packet) {
        return packet.length() + (long) OVERHEAD_BYTES;
    }
}
