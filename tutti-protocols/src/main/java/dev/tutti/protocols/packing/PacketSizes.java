package dev.tutti.protocols.packing;

import dev.tutti.core.Packet;

/**
 * How large the packets of a node become.
 *
 * @param sharedBytes payload up to which messages share a packet, and of a piece of a message that fits into none
 * @param wholeBytes longest message that fits into a packet, alone if need be: nobody has to put it together
 */
public record PacketSizes(int sharedBytes, int wholeBytes) {

    /** More messages in a packet would cost no less for each, and wait for longer. */
    private static final int SHARED_BYTES_MAX = 64 * 1024 - Packet.HEADROOM;

    private static final int RECORD_BYTES = Records.WHOLE_HEADER_BYTES + Records.LENGTH_BYTES;

    /** On a stream. */
    public static final PacketSizes STREAM = new PacketSizes(SHARED_BYTES_MAX, Records.WHOLE_MAX);

    public PacketSizes {
        if (sharedBytes <= Records.PIECE_HEADER_BYTES + Records.SCOPE_BYTES || Packet.PAYLOAD_MAX < sharedBytes) {
            throw new IllegalArgumentException("packets of " + sharedBytes + " bytes, at least "
                    + (Records.PIECE_HEADER_BYTES + Records.SCOPE_BYTES + 1) + ", at most " + Packet.PAYLOAD_MAX);
        }
        if (wholeBytes < 0 || Records.WHOLE_MAX < wholeBytes) {
            throw new IllegalArgumentException(
                    "whole messages of " + wholeBytes + " bytes, at least 0, at most " + Records.WHOLE_MAX);
        }
    }

    /**
     * On datagrams. Up to 64 KiB a message is better sent whole, though it takes several of them; above that its pieces can be
     * multicast.
     *
     * @param payloadBytesMax of one datagram
     */
    public static PacketSizes ofDatagrams(int payloadBytesMax) {
        return new PacketSizes(payloadBytesMax, SHARED_BYTES_MAX - RECORD_BYTES);
    }

    /** With room for what a layer adds to each packet. */
    public PacketSizes less(int headerBytes) {
        return new PacketSizes(sharedBytes - headerBytes, wholeBytes);
    }
}
