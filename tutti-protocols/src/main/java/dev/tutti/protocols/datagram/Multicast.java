package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;

/** Sends to all nodes at once, where that may get lost on the way to any of them. */
public interface Multicast {

    /** Sends a frame, which passes and of whose headroom at least {@code HEADER_BYTES} are free. */
    void send(Packet frame);

    /** Bytes of the longest frame. */
    int frameBytesMax();

    /** Bytes that wait at a receiver before it takes them; senders share them. */
    int receiveBufferBytes();

    /** Headroom that {@link #send} needs. */
    int HEADER_BYTES = Datagrams.MULTICAST_HEADER_BYTES;
}
