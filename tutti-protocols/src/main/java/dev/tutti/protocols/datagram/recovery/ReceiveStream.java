package dev.tutti.protocols.datagram.recovery;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Receiving end of one direction: puts bytes into order as they arrive and cuts them into frames.
 *
 * <p>A frame that arrives within one datagram is a slice of it; one that is spread over several is put together in
 * memory of its own. The window bounds the memory: bytes beyond it are not taken.
 */
public final class ReceiveStream {

    /** Takes frames, in order. */
    @FunctionalInterface
    public interface Frames {
        /** Takes a frame. Ownership passes to the callee. */
        void onFrame(Packet frame);
    }

    /** Outcome of a received chunk. */
    public enum Outcome {
        TAKEN,
        DUPLICATE,
        BEYOND_WINDOW,
        MALFORMED
    }

    private final Memory memory;
    private final long windowBytes;
    private final Frames frames;

    /** Chunks that arrived ahead of a gap, by the offset of their first byte. */
    private final TreeMap<Long, Packet> ahead = new TreeMap<>();

    private long aheadBytes;
    private long next;
    private int prefix;
    private int prefixBytes;
    private @Nullable Packet partial;
    private int partialMissing;
    private boolean isMalformed;

    public ReceiveStream(Memory memory, long windowBytes, Frames frames) {
        this.memory = memory;
        this.windowBytes = windowBytes;
        this.frames = frames;
    }

    /** Returns the offset of the first byte that has not arrived. */
    public long next() {
        return next;
    }

    /** Returns the offset up to which the other side may send. */
    public long limit() {
        return next + windowBytes;
    }

    public int aheadCount() {
        return ahead.size();
    }

    /** Takes the next {@code length} bytes of {@code datagram}, which belong at {@code offset} in the stream. */
    public Outcome onChunk(long offset, int length, Packet datagram) {
        if (offset < 0 || length > datagram.length()) {
            return Outcome.MALFORMED;
        }
        if (offset + length <= next) {
            datagram.skip(length);
            return Outcome.DUPLICATE;
        }
        if (offset + length > limit()) {
            datagram.skip(length);
            return Outcome.BEYOND_WINDOW;
        }
        if (offset > next) {
            Outcome outcome = keep(offset, length, datagram);
            datagram.skip(length);
            return outcome;
        }
        datagram.skip((int) (next - offset));
        read(datagram, (int) (offset + length - next));
        Map.Entry<Long, Packet> following = ahead.firstEntry();
        while (following != null && following.getKey() <= next && !isMalformed) {
            ahead.pollFirstEntry();
            Packet chunk = following.getValue();
            aheadBytes -= chunk.length();
            long known = next - following.getKey();
            if (known < chunk.length()) {
                chunk.skip((int) known);
                read(chunk, chunk.length());
            }
            chunk.release();
            following = ahead.firstEntry();
        }
        return isMalformed ? Outcome.MALFORMED : Outcome.TAKEN;
    }

    private Outcome keep(long offset, int length, Packet datagram) {
        Packet same = ahead.get(offset);
        if (same != null && same.length() >= length) {
            return Outcome.DUPLICATE;
        }
        // Overlaps are kept as they are: a sender repeats identical bytes, and the bound covers all chunks.
        if (ahead.size() >= CHUNKS_MAX || aheadBytes + length > 2 * windowBytes) {
            return Outcome.BEYOND_WINDOW;
        }
        Packet chunk = datagram.slice();
        chunk.shorten(length);
        if (chunk.footprint() > 2 * length + SMALL_BYTES) {
            // Otherwise a small chunk would retain a large block.
            Packet copy = Packet.of(memory.acquire(length), 0, 0).append(chunk);
            chunk.release();
            chunk = copy;
        }
        Packet replaced = ahead.put(offset, chunk);
        aheadBytes += length;
        if (replaced != null) {
            aheadBytes -= replaced.length();
            replaced.release();
        }
        return Outcome.TAKEN;
    }

    /** Reads {@code length} bytes, the next ones of the stream. */
    private void read(Packet source, int length) {
        int left = length;
        while (left > 0 && !isMalformed) {
            if (partial != null) {
                int taken = Math.min(left, partialMissing);
                partial.append(source.bytes(), source.offset(), taken);
                source.skip(taken);
                left -= taken;
                next += taken;
                partialMissing -= taken;
                if (partialMissing == 0) {
                    Packet frame = partial;
                    partial = null;
                    frames.onFrame(frame);
                }
                continue;
            }
            prefix = prefix << 8 | source.takeByte();
            prefixBytes++;
            left--;
            next++;
            if (prefixBytes == SendStream.PREFIX_BYTES) {
                left -= begin(source, left);
            }
        }
    }

    /** Begins a frame of {@link #prefix} bytes, and returns the number of bytes that it takes at once. */
    private int begin(Packet source, int available) {
        int length = prefix;
        prefix = 0;
        prefixBytes = 0;
        if (length < 1 || length > Packet.FRAME_MAX) {
            isMalformed = true;
            return 0;
        }
        if (length <= available) {
            Packet frame = source.slice();
            frame.shorten(length);
            source.skip(length);
            next += length;
            frames.onFrame(frame);
            return length;
        }
        partial = Packet.of(memory.acquire(length), 0, 0);
        partialMissing = length;
        return 0;
    }

    public void releaseAll() {
        for (Packet chunk : ahead.values()) {
            chunk.release();
        }
        ahead.clear();
        aheadBytes = 0;
        if (partial != null) {
            partial.release();
            partial = null;
        }
    }

    private static final int CHUNKS_MAX = 16 * 1024;
    private static final int SMALL_BYTES = 256;
}
