package dev.tutti.protocols.datagram;

import dev.tutti.core.Block;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Opens the checksum of datagrams to the fuzzer. */
public final class DatagramBytes {

    public static final int CHECKSUM_BYTES = Datagrams.CHECKSUM_BYTES;

    private static final Datagrams SEALS = new Datagrams(true);

    private DatagramBytes() {}

    /** Reports whether a datagram is read any further than its checksum. */
    public static boolean isIntact(byte[] datagram) {
        return SEALS.takeSeal(packet(datagram)) == Datagrams.Seal.INTACT;
    }

    /** Returns a datagram with a right checksum. */
    public static byte[] sealed(byte[] body) {
        byte[] datagram = new byte[CHECKSUM_BYTES + body.length];
        System.arraycopy(body, 0, datagram, CHECKSUM_BYTES, body.length);
        SEALS.seal(packet(datagram));
        return datagram;
    }

    /** Returns the bytes after the checksum. */
    public static byte[] body(byte[] datagram) {
        return Arrays.copyOfRange(datagram, CHECKSUM_BYTES, datagram.length);
    }

    private static Packet packet(byte[] bytes) {
        return Packet.of(new Block(ByteBuffer.wrap(bytes), Memory.onHeap()), 0, bytes.length);
    }
}
