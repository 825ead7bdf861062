package dev.tutti.protocols.packing;

import dev.tutti.core.Packet;

/**
 * Sizes of the packets of a node.
 *
 * @param sharedBytes payload up to which messages share a packet, and of a piece of a message that fits into none
 * @param wholeBytes longest message that fits into a packet, alone if need be, and needs no assembly
 */
public record PacketSizes(int sharedBytes, int wholeBytes) {

    /** Payload beyond which more messages in a packet would not be cheaper, and would wait for longer. */
    private static final int SHARED_BYTES_MAX = 64 * 1024 - Packet.HEADROOM;

    private static final int RECORD_BYTES = Records.WHOLE_HEADER_BYTES + Records.LENGTH_BYTES;

    /** Sizes on a stream. */
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
     * Returns the sizes on datagrams. Up to 64 KiB a message is better sent whole, although it takes several datagrams.
     * The pieces of a longer one can be multicast.
     *
     * @param payloadBytesMax payload of one datagram
     */
    public static PacketSizes ofDatagrams(int payloadBytesMax) {
        return new PacketSizes(payloadBytesMax, SHARED_BYTES_MAX - RECORD_BYTES);
    }

    /** Returns these sizes less the header that a layer adds to each packet. */
    public PacketSizes less(int headerBytes) {
        return new PacketSizes(sharedBytes - headerBytes, wholeBytes);
    }
}
