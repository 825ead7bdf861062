package dev.tutti.netty.internal.tcp;

import dev.tutti.core.Packet;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The head of each frame on a stream: its length and, unless TLS protects the bytes already, a checksum.
 *
 * <p>The checksum of TCP is 16 bits of a plain sum, and misses corruption by memory and network hardware more often
 * than is acceptable (Stone and Partridge, SIGCOMM 2000). A frame that was changed on its way is never handed up.
 *
 * <pre>
 * without checksum   u32 length
 * with               u1 1, u14 fold of the length, u17 length; u32 CRC-32C of the frame
 * </pre>
 *
 * The fold is checked before waiting for the rest of a frame: otherwise a corrupt length would make the connection wait
 * for bytes that never come.
 *
 * <p>Used on the loop only.
 */
final class FrameCheck {

    /** Longest head of a frame. */
    static final int HEAD_BYTES_MAX = 8;

    /** The result of {@link #length} for bytes that are no length. */
    static final int NONE = -1;

    private static final int LENGTH_BYTES = 4;
    private static final int SUMMED = 1 << 31;
    private static final int LENGTH_BITS = 17;
    private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;
    private static final int FOLD_BITS = 14;
    private static final int FOLD_MASK = (1 << FOLD_BITS) - 1;

    private final boolean isSummed;
    private final CRC32C crc = new CRC32C();

    // Memory of the frame summed last in this turn: for many links it is the same.
    private @Nullable ByteBuffer lastBytes;
    private int lastOffset;
    private int lastLength;
    private int lastSum;

    FrameCheck(boolean isSummed) {
        this.isSummed = isSummed;
    }

    /** Returns the number of bytes of a head. */
    int headBytes() {
        return isSummed ? HEAD_BYTES_MAX : LENGTH_BYTES;
    }

    // ------------------------------------------------------------------ out

    /** Forgets the last sum, before effects are handed out: the memory may hold something else by now. */
    void beginFrames() {
        lastBytes = null;
    }

    /** Writes the head of a frame; the same frame may be handed out for other links in this turn. */
    void seal(Packet frame) {
        int length = frame.length();
        if (isSummed) {
            if (frame.bytes() != lastBytes || frame.offset() != lastOffset || length != lastLength) {
                lastBytes = frame.bytes();
                lastOffset = frame.offset();
                lastLength = length;
                lastSum = sum(frame.bytes(), frame.offset(), length);
            }
            frame.prependInt(lastSum);
        }
        frame.prependInt(word(length));
    }

    /**
     * Writes the head of a frame in memory just filled by the driver, which may have held other bytes before in this
     * turn.
     */
    void sealCopy(Packet frame) {
        lastBytes = null;
        seal(frame);
        lastBytes = null;
    }

    private int word(int length) {
        return isSummed ? SUMMED | fold(length) << LENGTH_BITS | length : length;
    }

    /** Returns the fold of a length. Each bit of the length changes exactly one bit of it. */
    private static int fold(int length) {
        return (length ^ length >>> FOLD_BITS) & FOLD_MASK;
    }

    // ------------------------------------------------------------------ in

    /** Returns the length of the frame that begins with {@code word}; {@link #NONE} if no frame of ours begins so. */
    int length(int word) {
        int length = isSummed ? word & LENGTH_MASK : word;
        return length < 0 || Packet.FRAME_MAX < length || word != word(length) ? NONE : length;
    }

    /** Returns a text for people: the fault of the first four bytes of a frame. */
    String describe(int word) {
        if (isSummed && 0 <= word && word <= Packet.FRAME_MAX) {
            return "sends frames without checksums, which this node expects (transport.checksum, or TLS, differs)";
        }
        if (!isSummed && word < 0 && word == new FrameCheck(true).word(word & LENGTH_MASK)) {
            return "sends frames with checksums, which this node does not (transport.checksum, or TLS, differs)";
        }
        return isSummed && word < 0
                ? "the length of a frame does not fit its check: " + Integer.toHexString(word)
                : Stranger.describe(word);
    }

    /** Returns whether the frame whose head begins at {@code start} arrived as it was sent. */
    boolean isIntact(ByteBuffer bytes, int start, int length) {
        return !isSummed
                || sum(bytes, start + HEAD_BYTES_MAX, length) == bytes.getInt(start + LENGTH_BYTES);
    }

    private int sum(ByteBuffer bytes, int offset, int length) {
        crc.reset();
        // A separate view: others read the block by index, and have their indices checked against its limit.
        crc.update(bytes.slice(offset, length));
        return (int) crc.getValue();
    }
}
