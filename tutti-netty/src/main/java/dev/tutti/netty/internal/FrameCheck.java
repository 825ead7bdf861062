package dev.tutti.netty.internal;

import dev.tutti.core.Packet;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What stands before each frame on a stream: its length, and, unless TLS vouches for the bytes already, a checksum.
 *
 * <p>The checksum of TCP is 16 bits of a plain sum, and misses what memory and network hardware do to packets more often
 * than one likes (Stone and Partridge, SIGCOMM 2000). A frame that was changed on its way is never handed up.
 *
 * <pre>
 * without checksum   u32 length
 * with               u1 1, u14 fold of the length, u17 length; u32 CRC-32C of the frame
 * </pre>
 *
 * The fold is checked before anything waits for the rest of a frame: a length that was changed would else make the
 * connection wait for bytes that do not come.
 *
 * <p>Used on the loop only.
 */
final class FrameCheck {

    /** What stands before a frame at most. */
    static final int HEAD_BYTES_MAX = 8;

    /** The answer of {@link #length} for what is none. */
    static final int NONE = -1;

    private static final int LENGTH_BYTES = 4;
    private static final int SUMMED = 1 << 31;
    private static final int LENGTH_BITS = 17;
    private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;
    private static final int FOLD_BITS = 14;
    private static final int FOLD_MASK = (1 << FOLD_BITS) - 1;

    private final boolean isSummed;
    private final CRC32C crc = new CRC32C();

    // The frame summed last, while effects are handed out: to many links it is the same memory.
    private @Nullable ByteBuffer lastBytes;
    private int lastOffset;
    private int lastLength;
    private int lastSum;

    FrameCheck(boolean isSummed) {
        this.isSummed = isSummed;
    }

    /** How many bytes stand before a frame. */
    int headBytes() {
        return isSummed ? HEAD_BYTES_MAX : LENGTH_BYTES;
    }

    // ------------------------------------------------------------------ out

    /** Effects are about to be handed out: memory that was summed before may hold something else by now. */
    void beginFrames() {
        lastBytes = null;
    }

    /** Writes the head before a frame that is handed out, and may be again in this turn for other links. */
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

    /** The same for memory that the driver has just filled, which may have been something else earlier in this turn. */
    void sealCopy(Packet frame) {
        lastBytes = null;
        seal(frame);
        lastBytes = null;
    }

    private int word(int length) {
        return isSummed ? SUMMED | fold(length) << LENGTH_BITS | length : length;
    }

    /** Each bit of a length changes exactly one bit of its fold. */
    private static int fold(int length) {
        return (length ^ length >>> FOLD_BITS) & FOLD_MASK;
    }

    // ------------------------------------------------------------------ in

    /** The length of the frame that begins with {@code word}; {@link #NONE} if no frame of ours begins so. */
    int length(int word) {
        int length = isSummed ? word & LENGTH_MASK : word;
        return length < 0 || Packet.FRAME_MAX < length || word != word(length) ? NONE : length;
    }

    /** For people: what is wrong with the first four bytes of a frame. */
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

    /** Whether the frame whose head begins at {@code start} is what was sent. */
    boolean isIntact(ByteBuffer bytes, int start, int length) {
        return !isSummed
                || sum(bytes, start + HEAD_BYTES_MAX, length) == bytes.getInt(start + LENGTH_BYTES);
    }

    private int sum(ByteBuffer bytes, int offset, int length) {
        crc.reset();
        // A view of its own: others read the block by index, and have their indices checked against its limit.
        crc.update(bytes.slice(offset, length));
        return (int) crc.getValue();
    }
}
