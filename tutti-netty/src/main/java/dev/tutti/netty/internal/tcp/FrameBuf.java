package dev.tutti.netty.internal.tcp;

import dev.tutti.core.Packet;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;

/** An outgoing packet as a Netty buffer: shares its memory, and releases it when it was written. */
final class FrameBuf extends UnpooledDirectByteBuf {

    private final Packet packet;
    private final NettyConnection connection;
    private final int bytes;

    FrameBuf(ByteBufAllocator allocator, Packet packet, NettyConnection connection) {
        super(allocator, packet.bytes().slice(packet.offset(), packet.length()), packet.length());
        this.packet = packet;
        this.connection = connection;
        this.bytes = packet.length();
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        connection.onWritten(bytes);
        packet.release();
    }
}
