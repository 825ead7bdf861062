package dev.tutti.rendezvous.internal.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * One end of a relayed connection: its bytes go to the other end. It is read only while the other end takes the bytes, so that a slow
 * reader slows its sender down, and holds no memory here beyond the other end's write buffer. An end of its output is passed on.
 */
public final class Splice extends ChannelInboundHandlerAdapter {

    /** Time in which the other direction of a pair has to end after the first one. */
    private static final long HALF_CLOSED_SECONDS = 30;

    private final Channel peer;
    private final LongAdder bytes;
    private final Runnable onEnd;

    /**
     * @param peer the other end
     * @param bytes counts those that come from this end
     * @param onEnd called once when this end is closed
     */
    public Splice(Channel peer, LongAdder bytes, Runnable onEnd) {
        this.peer = peer;
        this.bytes = bytes;
        this.onEnd = onEnd;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf part = (ByteBuf) message;
        bytes.add(part.readableBytes());
        peer.write(part, peer.voidPromise());
        if (!peer.isWritable()) {
            pause(context.channel());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        peer.flush();
    }

    private void pause(Channel channel) {
        peer.flush();
        channel.config().setAutoRead(false);
        if (peer.isWritable()) {
            // It has become writable in between, and nobody would tell.
            channel.config().setAutoRead(true);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            peer.config().setAutoRead(true);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            peer.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> {
                if (peer instanceof DuplexChannel duplex) {
                    duplex.shutdownOutput();
                }
            });
            if (context.channel() instanceof DuplexChannel own && own.isOutputShutdown()) {
                context.close();
            } else {
                context.executor().schedule(() -> context.close(), HALF_CLOSED_SECONDS, TimeUnit.SECONDS);
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        onEnd.run();
        peer.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
