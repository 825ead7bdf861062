package dev.tutti.console.internal;

import dev.tutti.console.internal.CounterTable.Counter;
import dev.tutti.internal.door.Places.Place;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends a connection whose present step takes too long: its request from the first byte to the last, the reading of an
 * answer, or the pause between two requests. Single bytes of a request don't prolong it. While it runs, the connection
 * may have to make room for another one. On the connection's loop.
 */
final class Deadline extends ChannelInboundHandlerAdapter {

    private final long timeoutNanos;
    private final CounterTable counters;
    private final Place place;
    private @Nullable ChannelHandlerContext context;
    private @Nullable Future<?> end;
    private boolean hasBegun;

    Deadline(long timeoutNanos, CounterTable counters, Place place) {
        this.timeoutNanos = timeoutNanos;
        this.counters = counters;
        this.place = place;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        start();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        cancel();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        cancel();
        ctx.fireChannelInactive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        hasBegun = true;
        ctx.fireChannelRead(message);
    }

    /** Starts the client's time. */
    void start() {
        cancel();
        hasBegun = false;
        place.onIdle();
        ChannelHandlerContext own = context;
        if (own != null) {
            end = own.executor().schedule(this::onEnd, timeoutNanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Stops the client's time: the console has to act. */
    void stop() {
        cancel();
        place.onBusy();
    }

    /** Ends the deadline for good: the client is logged in and stays. */
    void stay() {
        cancel();
        place.onResident();
    }

    private void cancel() {
        Future<?> running = end;
        if (running != null) {
            running.cancel(false);
            end = null;
        }
    }

    private void onEnd() {
        ChannelHandlerContext own = context;
        if (own == null) {
            return;
        }
        // A client that is merely silent between requests is not counted.
        if (hasBegun || own.channel().bytesBeforeWritable() > 0) {
            counters.increment(Counter.REQUESTS_TOO_SLOW);
        }
        own.close();
    }
}
