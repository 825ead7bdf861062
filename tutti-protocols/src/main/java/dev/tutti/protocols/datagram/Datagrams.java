package dev.tutti.protocols.datagram;

import dev.tutti.core.Packet;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The layout of datagrams (docs/wire.md, section Datagrams): a checksum of all that follows it, or a fixed word where
 * nothing can change it, or another one where it is encrypted; a kind; the kind's fields.
 */
final class Datagrams {

    static final int OPEN = 1;
    static final int COOKIE = 2;
    static final int ACCEPT = 3;
    static final int DATA = 4;
    static final int RESET = 5;
    static final int MULTICAST = 6;
    static final int HANDSHAKE = 7;

    /** After the kind of an OPEN: the protocol and its version. */
    static final int MAGIC = 0x74757501;

    /** The same where connections are encrypted. */
    static final int MAGIC_SECURE = 0x74757581;

    // Parts of a DATA datagram.
    static final int ACK = 1;
    static final int STREAM = 2;
    static final int FIN = 3;
    static final int PING = 4;

    static final int CHECKSUM_BYTES = 4;
    static final int OPEN_BYTES = CHECKSUM_BYTES + 1 + 4 + 8 + 8 + 4;
    static final int COOKIE_BYTES = CHECKSUM_BYTES + 1 + 8 + 8;
    static final int ACCEPT_BYTES = CHECKSUM_BYTES + 1 + 8 + 8 + 4;
    static final int RESET_BYTES = CHECKSUM_BYTES + 1 + 8;

    /** Checksum, kind, the receiver's id of the connection, packet number. */
    static final int DATA_HEADER_BYTES = CHECKSUM_BYTES + 1 + 8 + 8;

    /** Checksum, kind. */
    static final int MULTICAST_HEADER_BYTES = CHECKSUM_BYTES + 1;

    /** Checksum, kind, the receiver's id of the connection, offset below which everything has arrived, offset. */
    static final int HANDSHAKE_HEADER_BYTES = CHECKSUM_BYTES + 1 + 8 + 4 + 4;

    /** Checksum, kind, incarnation of the sender, number of its key, number of the datagram. */
    static final int SEALED_MULTICAST_HEADER_BYTES = CHECKSUM_BYTES + 1 + 8 + 4 + 8;

    /** Place of the number in a DATA datagram. */
    static final int NUMBER_OFFSET = CHECKSUM_BYTES + 1 + 8;

    static final int STREAM_HEADER_BYTES = 1 + 8 + 2;
    static final int FIN_BYTES = 1 + 8;

    /** Type, largest, delay, limit, allowance, count of further ranges, length of the first. */
    static final int ACK_BYTES_MIN = 1 + 8 + 4 + 8 + 4 + 1 + 4;

    /** Instead of a checksum. */
    static final int UNSUMMED = 0x756e7375;

    /** Instead of a checksum, in DATA and MULTICAST that are encrypted. */
    static final int SEALED = 0x7365616c;

    /** State of a datagram according to its first word. */
    enum Seal {
        INTACT,
        DAMAGED,
        /** The datagram says that it is encrypted. */
        SEALED,
        /** The sender sums and this node does not, or the other way round. */
        OTHER
    }

    private final boolean isSummed;
    private final CRC32C checksum = new CRC32C();

    Datagrams(boolean isSummed) {
        this.isSummed = isSummed;
    }

    /** Writes the checksum into the first four bytes, which were left for it. */
    void seal(Packet datagram) {
        datagram.bytes().putInt(datagram.offset(), isSummed ? checksumOf(datagram, CHECKSUM_BYTES) : UNSUMMED);
    }

    /** Takes the checksum, and compares it with that of the rest. */
    Seal takeSeal(Packet datagram) {
        int found = datagram.takeInt();
        if (datagram.isMalformed()) {
            return Seal.DAMAGED;
        } else if (found == SEALED) {
            return Seal.SEALED;
        } else if (!isSummed) {
            return found == UNSUMMED ? Seal.INTACT : Seal.OTHER;
        } else if (found == checksumOf(datagram, 0)) {
            return Seal.INTACT;
        }
        return found == UNSUMMED ? Seal.OTHER : Seal.DAMAGED;
    }

    private int checksumOf(Packet datagram, int skipped) {
        // Others may read the block meanwhile: its own position and limit stay as they are.
        ByteBuffer range = datagram.bytes().duplicate();
        int start = datagram.offset() + skipped;
        range.limit(datagram.offset() + datagram.length()).position(start);
        checksum.reset();
        checksum.update(range);
        return (int) checksum.getValue();
    }
}
