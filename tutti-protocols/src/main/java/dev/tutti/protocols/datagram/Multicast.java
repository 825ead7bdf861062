package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;
import org.jspecify.annotations.Nullable;

/** Sends to all nodes at once; each of them may miss a frame. */
public interface Multicast {

    /**
     * Sends a frame with at least {@code HEADER_BYTES} of free headroom, or, where multicasts are encrypted, a datagram
     * that a {@link MulticastKey} has made of one. Ownership passes to the callee.
     */
    void send(Packet frame);

    /** Returns the bytes of the longest frame. */
    int frameBytesMax();

    /** Returns the secret from which the keys of multicasts are derived; null if they are not encrypted. */
    byte @Nullable [] secret();

    /** Returns the size of a receiver's socket buffer, which all senders share. */
    int receiveBufferBytes();

    /** Headroom that {@link #send} needs. */
    int HEADER_BYTES = Datagrams.MULTICAST_HEADER_BYTES;
}
