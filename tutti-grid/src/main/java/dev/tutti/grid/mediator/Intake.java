package dev.tutti.grid.mediator;

import dev.tutti.grid.internal.memory.Share;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes of a request or message that have come, and whose end has not. When all connections together have too many of them, the
 * connection that has the most is closed. It is before the handlers that collect them.
 */
final class Intake extends ChannelInboundHandlerAdapter implements Share.Holder {

    private final Share share;
    private final MediatorCounters counters;
    private final Channel channel;
    private final AtomicLong held = new AtomicLong();
    private final AtomicBoolean isOver = new AtomicBoolean();

    Intake(Share share, MediatorCounters counters, Channel channel) {
        this.share = share;
        this.counters = counters;
        this.channel = channel;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        share.enter(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf bytes) {
            int length = bytes.readableBytes();
            if (isOver.get()) {
                bytes.release();
                return;
            }
            held.addAndGet(length);
            share.add(length);
            share.relieve();
        }
        context.fireChannelRead(message);
    }

    /** Notes that a whole request or message has been dealt with. */
    void onConsumed() {
        share.add(-held.getAndSet(0));
    }

    /** Notes that a part of what has come was dealt with, which may be in the middle of a message. */
    void onConsumed(int bytes) {
        long part = Math.min(bytes, held.get());
        held.addAndGet(-part);
        share.add(-part);
    }

    @Override
    public long heldBytes() {
        return held.get();
    }

    @Override
    public void giveBack(long bytes) {
        if (isOver.compareAndSet(false, true)) {
            counters.evicted.increment();
            channel.close();
        }
        onConsumed();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        isOver.set(true);
        share.leave(this);
        onConsumed();
        context.fireChannelInactive();
    }
}
