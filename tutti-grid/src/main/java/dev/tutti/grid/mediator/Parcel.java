package dev.tutti.grid.mediator;

import dev.tutti.grid.internal.memory.Share;
import io.netty.channel.Channel;
import java.util.concurrent.atomic.AtomicLong;

/** An answer to a request on its way to a client, which may read it slowly. */
final class Parcel implements Share.Holder {

    private final Share share;
    private final MediatorCounters counters;
    private final Channel channel;
    private final AtomicLong held;

    Parcel(Share share, MediatorCounters counters, Channel channel, long bytes) {
        this.share = share;
        this.counters = counters;
        this.channel = channel;
        this.held = new AtomicLong(bytes);
        share.enter(this);
        share.add(bytes);
        channel.closeFuture().addListener(_ -> end());
        share.relieve();
    }

    private void end() {
        share.leave(this);
        share.add(-held.getAndSet(0));
    }

    @Override
    public long heldBytes() {
        return held.get();
    }

    @Override
    public void giveBack(long bytes) {
        counters.evicted.increment();
        channel.close();
        end();
    }
}
