package dev.tutti.netty.internal.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;

/** Turns binary messages of a WebSocket (RFC 6455) into the stream of their bytes, and back. The bounds of messages mean nothing. */
public final class WebSocketBytes extends ChannelDuplexHandler {

    /** Longest payload of a frame that is read. */
    public static final int FRAME_MAX = 256 << 10;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        WebSocketFrame frame = (WebSocketFrame) message;
        switch (frame) {
            case BinaryWebSocketFrame binary -> context.fireChannelRead(binary.content());
            case ContinuationWebSocketFrame more -> context.fireChannelRead(more.content());
            case PingWebSocketFrame ping -> {
                // A peer that takes no answers gets no more of them.
                if (context.channel().isWritable()) {
                    context.writeAndFlush(new PongWebSocketFrame(ping.content()));
                } else {
                    ping.release();
                }
            }
            case CloseWebSocketFrame close -> {
                close.release();
                context.close();
            }
            default -> frame.release();
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        // The answer to the upgrade passes, too, at the server.
        boolean isPayload = message instanceof ByteBuf bytes && bytes.isReadable();
        context.write(isPayload ? new BinaryWebSocketFrame((ByteBuf) message) : message, promise);
    }
}
