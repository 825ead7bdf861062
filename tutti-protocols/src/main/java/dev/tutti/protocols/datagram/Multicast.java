package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;

/** Sends to all nodes at once; each of them may miss a frame. */
public interface Multicast {

    /** Sends a frame with at least {@code HEADER_BYTES} of free headroom. Ownership passes to the callee. */
    void send(Packet frame);

    /** Returns the bytes of the longest frame. */
    int frameBytesMax();

    /** Returns the size of a receiver's socket buffer, which all senders share. */
    int receiveBufferBytes();

    /** Headroom that {@link #send} needs. */
    int HEADER_BYTES = Datagrams.MULTICAST_HEADER_BYTES;
}
