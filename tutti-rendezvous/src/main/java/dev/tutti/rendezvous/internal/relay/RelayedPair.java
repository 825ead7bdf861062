package dev.tutti.rendezvous.internal.relay;

import io.netty.channel.Channel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Two connections of which each gets the bytes of the other, until both are closed. */
public final class RelayedPair {

    /** Receiver of what happens to a pair, on the loop of one of its ends. */
    public interface Listener {

        /** One end has taken nothing for too long, although something waits for it; it is closed. */
        void onStall();

        /** Both ends are closed. */
        void onEnd();
    }

    /** The bytes from one end to the other. */
    static final class Direction {

        /** Memory of bytes that the other end has not taken. */
        final AtomicLong waiting = new AtomicLong();

        /** Changes whenever the other end has taken something. */
        final AtomicLong taken = new AtomicLong();
    }

    final RelayBudget.Share share;
    final LongAdder bytes;
    final long stallNanos;
    final Listener listener;
    private final AtomicInteger open = new AtomicInteger(2);
    private final Direction forth = new Direction();
    private final Direction back = new Direction();

    /**
     * @param bytes counts all bytes
     * @param stallNanos time in which an end has to take something if something waits for it
     */
    public RelayedPair(RelayBudget budget, String cluster, LongAdder bytes, long stallNanos, Listener listener) {
        this.share = budget.enter(cluster);
        this.bytes = bytes;
        this.stallNanos = stallNanos;
        this.listener = listener;
    }

    /** Returns the handler of the end that has dialled. */
    public Splice dialler(Channel acceptor) {
        return new Splice(this, acceptor, forth, back);
    }

    /** Returns the handler of the end that has accepted. */
    public Splice acceptor(Channel dialler) {
        return new Splice(this, dialler, back, forth);
    }

    /** Notes that an end is closed. A {@link Splice} does so itself. */
    public void onClosed() {
        if (open.decrementAndGet() == 0) {
            share.leave();
            listener.onEnd();
        }
    }
}
