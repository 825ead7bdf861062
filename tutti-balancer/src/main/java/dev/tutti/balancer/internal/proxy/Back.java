package dev.tutti.balancer.internal.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/** Connection to a node, which serves one exchange at a time. On its loop. */
final class Back extends ChannelInboundHandlerAdapter {

    private final NodePool pool;
    private final Channel channel;
    private @Nullable Exchange exchange;
    private @Nullable HttpResponse head;

    /** Time since which it is unused, for the pool. */
    long idleSinceNanos;

    Back(NodePool pool, Channel channel) {
        this.pool = pool;
        this.channel = channel;
    }

    Channel channel() {
        return channel;
    }

    boolean isUsable() {
        return channel.isActive();
    }

    boolean isWritable() {
        return channel.isWritable();
    }

    void begin(Exchange of) {
        exchange = of;
        head = null;
        mayRead(true);
    }

    void write(Object message) {
        channel.write(message, channel.voidPromise());
    }

    void flush() {
        channel.flush();
    }

    void mayRead(boolean mayRead) {
        if (channel.config().isAutoRead() != mayRead) {
            channel.config().setAutoRead(mayRead);
        }
    }

    /** Lets bytes pass as they are from now on. */
    void becomePipe() {
        channel.pipeline().remove(HttpClientCodec.class);
    }

    /** @param isReusable whether further requests can be sent on it */
    void end(boolean isReusable) {
        exchange = null;
        head = null;
        if (isReusable && channel.isActive()) {
            mayRead(true);
            pool.release(this, System.nanoTime());
        } else {
            channel.close();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Exchange of = exchange;
        if (of == null) {
            // Nothing was asked for.
            ReferenceCountUtil.release(message);
            context.close();
            return;
        }
        if (message instanceof ByteBuf bytes) {
            of.onNodeBytes(bytes);
            return;
        }
        if (message instanceof HttpResponse response) {
            if (response.decoderResult().isFailure()) {
                ReferenceCountUtil.release(message);
                lose();
                return;
            }
            head = response;
            of.onAnswer(response, HttpUtil.isKeepAlive(response));
        }
        HttpResponse of101 = head;
        if (message instanceof HttpContent content && of101 != null) {
            if (content.decoderResult().isFailure()) {
                content.release();
                lose();
                return;
            }
            of.onAnswerContent(content, of101);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        Exchange of = exchange;
        if (of != null) {
            of.flushAnswer();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        Exchange of = exchange;
        if (of != null && channel.isWritable()) {
            of.onNodeWritable();
        }
    }

    private void lose() {
        Exchange of = exchange;
        exchange = null;
        channel.close();
        if (of != null) {
            of.onBackLost();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        Exchange next = pool.onClosed(this);
        lose();
        if (next != null) {
            next.onRoom();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        lose();
    }
}
