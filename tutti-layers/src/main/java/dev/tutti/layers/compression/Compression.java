package dev.tutti.layers.compression;

import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import org.jspecify.annotations.Nullable;

/**
 * Layer that compresses each packet on its own:
 *
 * <pre>
 * u8 0, the packet as it was
 * u8 1, u32 length of the packet, an LZ4 block
 * </pre>
 *
 * <p>A packet that would become shorter by less than an eighth goes as it is, which costs a fast look at it. A packet
 * that arrives is expanded to the length of a frame at most, whatever it says.
 */
final class Compression implements Layer {

    private static final int PLAIN = 0;
    private static final int LZ4 = 1;
    private static final int HEADER_BYTES = 1 + 4;

    /** Largest ratio of an LZ4 block: a byte of a length stands for 255 bytes at most. */
    private static final int EXPANSION_MAX = 255;

    private static final int SCRATCH_BYTES_MIN = 4 * 1024;

    // Java's own code, so that all platforms write the same bytes, and none loads a native library.
    private static final LZ4Compressor COMPRESSOR = LZ4Factory.safeInstance().fastCompressor();
    private static final LZ4SafeDecompressor DECOMPRESSOR = LZ4Factory.safeInstance().safeDecompressor();

    private final int leastBytes;

    /** Result of one compression or expansion, before it is copied into a packet of its length. */
    private @Nullable ByteBuffer scratch;

    private long compressedPackets;
    private long plainPackets;
    private long originalBytes;
    private long compressedBytes;
    private long expandedPackets;

    Compression(int leastBytes) {
        this.leastBytes = leastBytes;
    }

    @Override
    public void onSend(Packet packet, Outbox out) {
        int length = packet.length();
        if (length < leastBytes) {
            sendPlain(packet, out);
            return;
        }
        ByteBuffer buffer = scratch(COMPRESSOR.maxCompressedLength(length));
        int compressed = COMPRESSOR.compress(packet.bytes(), packet.offset(), length, buffer, 0, buffer.capacity());
        if (compressed + HEADER_BYTES > length - length / 8) {
            sendPlain(packet, out);
            return;
        }
        Packet shorter = Packet.withRoom(out.memory(), HEADER_BYTES + compressed)
                .inPlaceOf(packet)
                .appendByte(LZ4)
                .appendInt(length)
                .append(buffer, 0, compressed);
        compressedPackets++;
        originalBytes += length;
        compressedBytes += shorter.length();
        packet.release();
        out.send(shorter);
    }

    private void sendPlain(Packet packet, Outbox out) {
        plainPackets++;
        out.send(packet.prependByte(PLAIN));
    }

    @Override
    public void onReceive(Packet packet, Outbox out) {
        int kind = packet.takeByte();
        if (packet.isMalformed() || kind > LZ4) {
            out.drop(packet, DropReason.MALFORMED);
        } else if (kind == PLAIN) {
            out.deliver(packet);
        } else {
            expand(packet, out);
        }
    }

    private void expand(Packet packet, Outbox out) {
        int length = packet.takeInt();
        if (packet.isMalformed() || length < 0 || length > Math.min(Packet.FRAME_MAX, (long) EXPANSION_MAX * packet.length())) {
            out.drop(packet, DropReason.MALFORMED);
            return;
        }
        ByteBuffer buffer = scratch(length);
        int expanded;
        try {
            expanded = DECOMPRESSOR.decompress(packet.bytes(), packet.offset(), packet.length(), buffer, 0, length);
        } catch (LZ4Exception e) {
            out.drop(packet, DropReason.MALFORMED);
            return;
        }
        if (expanded != length) {
            out.drop(packet, DropReason.MALFORMED);
            return;
        }
        expandedPackets++;
        Packet original = Packet.withRoom(out.memory(), length).inPlaceOf(packet).append(buffer, 0, length);
        packet.release();
        out.deliver(original);
    }

    /** Returns memory that grows with the packets, so that short ones do not cost what the longest would. */
    private ByteBuffer scratch(int bytes) {
        ByteBuffer present = scratch;
        if (present == null || present.capacity() < bytes) {
            present = ByteBuffer.allocate(Math.max(SCRATCH_BYTES_MIN, bytes));
            scratch = present;
        }
        return present;
    }

    @Override
    public void report(Report report) {
        report.put("compressed-packets", compressedPackets);
        report.put("plain-packets", plainPackets);
        report.put("original-bytes", originalBytes);
        report.put("compressed-bytes", compressedBytes);
        report.put("expanded-packets", expandedPackets);
    }
}
