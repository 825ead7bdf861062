package dev.tutti.netty.internal.udp;

import dev.tutti.core.Block;
import dev.tutti.core.Packet;
import dev.tutti.netty.internal.memory.DirectMemory;
import dev.tutti.netty.internal.memory.ReceiveRegion;
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
 * merged (GRO), or as many of the largest as there is room for. Large datagrams are handed up in place. Small ones are
 * copied, so that few packets hold on to a region, which is reused if all were copied.
 */
final class DatagramInbound extends ChannelInboundHandlerAdapter {

    /** Most bytes of one receive: the largest datagram, or a merged buffer. */
    static final int SLOT_BYTES = 64 * 1024;

    /** Datagrams below this size are copied; a region of 256 KiB is kept by at least this much. */
    static final int COPY_BELOW_BYTES = 16 * 1024;

    /** Datagrams per channel and pass of the loop: tasks and timers do not wait for a fast peer. */
    private static final int DATAGRAMS_MAX = 512;

    /** Receives the datagrams. */
    interface Sink {

        /** Notes that another system call has returned datagrams. */
        void onBatch();

        /** Returns whether datagrams of this sender are to be handed up. */
        boolean isWanted(InetSocketAddress from);

        /** @param isFirst whether time has passed since the previous one */
        void onDatagram(InetSocketAddress from, Packet datagram, boolean isFirst, boolean isCopy);

        void onFailed(Throwable cause);

        void onClosed();
    }

    private final DirectMemory memory;
    private final Sink sink;

    /** The channel reads several times before it hands up what was read, as that of NIO does. */
    private final boolean isReadingAhead;

    private ReceiveRegion region;
    private long regionAddress;

    /** Start of the memory that belongs to no packet. */
    private int free;

    private boolean isFirst;

    DatagramInbound(DirectMemory memory, boolean isReadingAhead, Sink sink) {
        this.memory = memory;
        this.isReadingAhead = isReadingAhead;
        this.sink = sink;
        this.region = new ReceiveRegion(memory.acquireReceive());
        this.regionAddress = address(region.block.bytes());
    }

    /** Returns the allocator for the channel's configuration. */
    @SuppressWarnings("deprecation") // Netty asks for this type; the interface it is to be replaced by extends it.
    RecvByteBufAllocator allocator() {
        return new SlotAllocator();
    }

    /** Returns the memory; after the loop has ended. */
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

                /**
                 * Returns whether there is room: datagrams read ahead stay in the region, unchanged until they are
                 * handed up.
                 */
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
