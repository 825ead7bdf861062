package dev.tutti.netty.internal;

import dev.tutti.core.Block;
import dev.tutti.core.Packet;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.UncheckedBooleanSupplier;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Datagrams that arrive at one socket. Used on the loop only.
 *
 * <p>The socket is read into a {@link ReceiveRegion}: each time one datagram, many of one sender that the system has
 * merged (GRO), or as many of the largest as there is room for. Large datagrams are handed up as they lie there. Small
 * ones are copied, so that a region is kept by few, and read into again if all were copied.
 */
final class DatagramInbound extends ChannelInboundHandlerAdapter {

    /** What one receive may bring: the largest datagram, or a merged buffer. */
    static final int SLOT_BYTES = 64 * 1024;

    /** Datagrams below this size are copied; a region of 256 KiB is kept by at least this much. */
    static final int COPY_BELOW_BYTES = 16 * 1024;

    /** Datagrams per channel and pass of the loop: tasks and timers do not wait for a fast peer. */
    private static final int DATAGRAMS_MAX = 512;

    /** What becomes of datagrams. */
    interface Sink {

        /** Another system call has brought something. */
        void onBatch();

        /** Whether a datagram from there is to be handed up. */
        boolean isWanted(InetSocketAddress from);

        /** @param isFirst whether time has passed since the one before */
        void onDatagram(InetSocketAddress from, Packet datagram, boolean isFirst, boolean isCopy);

        void onFailed(Throwable cause);

        void onClosed();
    }

    private final DirectMemory memory;
    private final Sink sink;

    /** Whether the channel reads several times before it hands up what it has read, which is how NIO's does. */
    private final boolean isReadingAhead;

    private ReceiveRegion region;
    private long regionAddress;

    /** Where the memory begins that no packet has. */
    private int free;

    private boolean isFirst;

    DatagramInbound(DirectMemory memory, boolean isReadingAhead, Sink sink) {
        this.memory = memory;
        this.isReadingAhead = isReadingAhead;
        this.sink = sink;
        this.region = new ReceiveRegion(memory.acquireReceive());
        this.regionAddress = address(region.block.bytes());
    }

    /** For the channel's configuration. */
    @SuppressWarnings("deprecation") // Netty asks for this type; the interface it is to be replaced by extends it.
    RecvByteBufAllocator allocator() {
        return new SlotAllocator();
    }

    /** Gives the memory back; after the loop has ended. */
    void close() {
        region.block.release();
    }

    // ------------------------------------------------------------------ memory

    private ByteBuf target() {
        if (!isReadingAhead) {
            region.position = free;
        }
        if (region.room() < SLOT_BYTES) {
            region.block.release();
            region = new ReceiveRegion(memory.acquireReceive());
            regionAddress = address(region.block.bytes());
            free = 0;
        }
        isFirst = true;
        return region.view.retainedSlice(region.position, region.room()).setIndex(0, 0);
    }

    private static long address(ByteBuffer bytes) {
        return MemorySegment.ofBuffer(bytes).address();
    }

    private Packet packet(ByteBuf content) {
        int length = content.readableBytes();
        ByteBuffer bytes = content.nioBuffer();
        if (length < COPY_BELOW_BYTES) {
            Block copy = memory.acquire(length);
            copy.bytes().put(0, bytes, bytes.position(), length);
            return Packet.of(copy, 0, length);
        }
        int offset = (int) (address(bytes) - regionAddress);
        free = Math.max(free, offset + length);
        region.block.retain();
        return Packet.of(region.block, offset, length);
    }

    // ------------------------------------------------------------------ from the socket

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        DatagramPacket datagram = (DatagramPacket) message;
        boolean isCopy = datagram.content().readableBytes() < COPY_BELOW_BYTES;
        Packet packet;
        try {
            if (!sink.isWanted(datagram.sender())) {
                return;
            }
            packet = packet(datagram.content());
        } finally {
            datagram.release();
        }
        boolean wasFirst = isFirst;
        isFirst = false;
        sink.onDatagram(datagram.sender(), packet, wasFirst, isCopy);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        region.position = free;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        sink.onFailed(cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        sink.onClosed();
    }

    private final class SlotAllocator extends DefaultMaxMessagesRecvByteBufAllocator {

        SlotAllocator() {
            super(DATAGRAMS_MAX);
        }

        @Override
        @SuppressWarnings("deprecation") // As above.
        public RecvByteBufAllocator.Handle newHandle() {
            return new MaxMessageHandle() {
                @Override
                public ByteBuf allocate(ByteBufAllocator allocator) {
                    return target();
                }

                @Override
                public int guess() {
                    return SLOT_BYTES;
                }

                @Override
                public void lastBytesRead(int bytes) {
                    super.lastBytesRead(bytes);
                    if (0 < bytes) {
                        region.position = Math.min(region.position + bytes, region.block.capacity());
                        sink.onBatch();
                    }
                }

                /** What was read ahead lies in the region, which is not changed before it was handed up. */
                private boolean hasRoom() {
                    return !isReadingAhead || SLOT_BYTES <= region.room();
                }

                @Override
                public boolean continueReading() {
                    return hasRoom() && super.continueReading();
                }

                @Override
                public boolean continueReading(UncheckedBooleanSupplier mayHaveMore) {
                    return hasRoom() && super.continueReading(mayHaveMore);
                }
            };
        }
    }
}
