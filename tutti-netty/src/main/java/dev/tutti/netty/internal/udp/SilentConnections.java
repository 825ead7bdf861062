package dev.tutti.netty.internal.udp;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.function.Consumer;

/** Connections of TCP on which nothing is sent: they end when bytes arrive, which nobody reads, and cost a socket each. */
final class SilentConnections extends ChannelInitializer<SocketChannel> {

    /** Bytes that are read to find the end of a connection. */
    private static final int READ_BYTES = 16;

    private final Consumer<SocketChannel> opened;
    private final Consumer<SocketChannel> spoken;

    /**
     * @param opened takes each connection when its socket is there
     * @param spoken takes a connection that is closed because bytes have arrived
     */
    SilentConnections(Consumer<SocketChannel> opened, Consumer<SocketChannel> spoken) {
        this.opened = opened;
        this.spoken = spoken;
    }

    @Override
    protected void initChannel(SocketChannel channel) {
        channel.config().setAllocator(UnpooledByteBufAllocator.DEFAULT);
        channel.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(READ_BYTES));
        channel.config().setKeepAlive(true);
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ReferenceCountUtil.release(message);
                spoken.accept(channel);
                channel.close();
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                // The connection was reset, or the other machine is gone.
                channel.close();
            }
        });
        opened.accept(channel);
    }
}
