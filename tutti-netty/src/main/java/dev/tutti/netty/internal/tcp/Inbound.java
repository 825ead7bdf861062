package dev.tutti.netty.internal.tcp;

import dev.tutti.core.Block;
import dev.tutti.core.Packet;
import dev.tutti.netty.internal.memory.DirectMemory;
import dev.tutti.netty.internal.memory.ReceiveRegion;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the bytes of one connection into frames.
 *
 * <p>While bytes arrive, the connection has a {@link ReceiveRegion}, which the socket is read into. Frames are packets
 * over it; small ones are copied, so that one that is kept for long does not keep 256 KiB. When there is nothing more
 * to read, the rest of a frame moves to a block of its own size, so that an idle connection, or one that sends a length
 * and then nothing, holds no more than has arrived.
 */
final class Inbound {

    /** Frames below this size are copied. */
    static final int COPY_BELOW_BYTES = 8 * 1024;

    private static final int LENGTH_BYTES = 4;
    private static final int READ_MIN = 16 * 1024;

    /** Receives the frames. */
    interface Sink {
        void onFrame(Packet frame);

        /** Notes that the bytes are no frames of ours; nothing more is decoded. */
        void onGarbage(String detail);

        /** Notes that a frame was changed on its way; nothing more is decoded. */
        void onCorrupt(String detail);

        /** Returns whether frames are still wanted. */
        boolean isReceiving();
    }

    private final FrameCheck check;
    private final DirectMemory memory;
    private final ReceiveRegions regions;
    private final Sink sink;
    private @Nullable ReceiveRegion region;

    /** Offset in the region of the first frame that was not handed up. */
    private int start;

    private @Nullable ByteBuf read;
    private @Nullable Block rest;
    private int restLength;
    private boolean isGarbage;

    Inbound(FrameCheck check, DirectMemory memory, ReceiveRegions regions, Sink sink) {
        this.check = check;
        this.memory = memory;
        this.regions = regions;
        this.sink = sink;
    }

    /**
     * Returns the buffer for the next read; it comes back with {@link #onRead}, or is released.
     *
     * @throws IllegalStateException if the last one has not: it would be read into twice
     */
    ByteBuf target() {
        if (region != null && region.isBeingRead()) {
            throw new IllegalStateException("a read was not looked at before the next");
        }
        ReceiveRegion current = regionWithRoom();
        ByteBuf target = current.view.retainedSlice(current.position, current.room()).setIndex(0, 0);
        read = target;
        return target;
    }

    /** Decodes bytes that have arrived, in the last {@link #target} or in other memory. Releases {@code bytes}. */
    void onRead(ByteBuf bytes) {
        try {
            if (bytes == read) {
                read = null;
                if (region != null && wantsMore()) {
                    region.position += bytes.readableBytes();
                    decode(region);
                }
            } else {
                copyIn(bytes);
            }
        } finally {
            bytes.release();
        }
    }

    private void copyIn(ByteBuf bytes) {
        while (bytes.isReadable() && wantsMore()) {
            ReceiveRegion current = regionWithRoom();
            int length = Math.min(bytes.readableBytes(), current.room());
            current.view.setBytes(current.position, bytes, length);
            current.position += length;
            decode(current);
        }
    }

    private boolean wantsMore() {
        return !isGarbage && sink.isReceiving();
    }

    /** Moves the rest of a frame out of the region: there is nothing more to read for now. */
    void onReadEnd() {
        ReceiveRegion current = region;
        if (current == null || current.isBeingRead()) {
            return;
        }
        int length = current.position - start;
        if (0 < length && wantsMore()) {
            Block block = memory.acquire(length);
            block.bytes().put(0, current.block.bytes(), start, length);
            rest = block;
            restLength = length;
        }
        current.position = start;
        region = null;
        regions.checkIn(current);
    }

    /** Returns the bytes of a frame that is not complete. */
    int partialBytes() {
        return region == null ? restLength : region.position - start;
    }

    void close() {
        if (rest != null) {
            rest.release();
            rest = null;
            restLength = 0;
        }
        if (region != null) {
            region.position = start;
            regions.checkIn(region);
            region = null;
        }
    }

    private ReceiveRegion regionWithRoom() {
        ReceiveRegion current = region;
        if (current == null) {
            current = regions.checkOut(rest == null ? READ_MIN : wantedBytes(rest.bytes(), 0, restLength));
            region = current;
            start = current.position;
            if (rest != null) {
                current.block.bytes().put(start, rest.bytes(), 0, restLength);
                current.position += restLength;
                rest.release();
                rest = null;
                restLength = 0;
            }
        }
        int length = current.position - start;
        int wantedBytes = wantedBytes(current.block.bytes(), start, length);
        if (start + wantedBytes <= current.block.capacity()) {
            return current;
        }
        ReceiveRegion next = regions.checkOut(wantedBytes);
        next.block.bytes().put(next.position, current.block.bytes(), start, length);
        current.position = start;
        regions.checkIn(current);
        region = next;
        start = next.position;
        next.position += length;
        return next;
    }

    /** Returns the room for the frame of which {@code length} bytes are at {@code offset}, if known, and for a read. */
    private int wantedBytes(ByteBuffer bytes, int offset, int length) {
        int frameBytes = length < LENGTH_BYTES ? 0 : check.headBytes() + Math.max(0, check.length(bytes.getInt(offset)));
        return Math.max(length + READ_MIN, frameBytes);
    }

    private void decode(ReceiveRegion current) {
        ByteBuffer bytes = current.block.bytes();
        while (wantsMore() && LENGTH_BYTES <= current.position - start) {
            int word = bytes.getInt(start);
            int length = check.length(word);
            if (length == FrameCheck.NONE) {
                isGarbage = true;
                sink.onGarbage(check.describe(word));
                break;
            }
            int offset = start + check.headBytes();
            if (current.position < offset + length) {
                break;
            }
            if (!check.isIntact(bytes, start, length)) {
                isGarbage = true;
                sink.onCorrupt("a frame of " + length + " bytes does not have its checksum");
                break;
            }
            start = offset + length;
            sink.onFrame(packet(current, offset, length));
        }
        if (!wantsMore()) {
            start = current.position;
        }
        if (start == current.position && !current.isShared) {
            start = 0;
            current.position = 0;
        }
    }

    private Packet packet(ReceiveRegion current, int offset, int length) {
        if (length < COPY_BELOW_BYTES) {
            Block copy = memory.acquire(length);
            copy.bytes().put(0, current.block.bytes(), offset, length);
            return Packet.of(copy, 0, length);
        }
        current.isShared = true;
        current.block.retain();
        return Packet.of(current.block, offset, length);
    }
}
