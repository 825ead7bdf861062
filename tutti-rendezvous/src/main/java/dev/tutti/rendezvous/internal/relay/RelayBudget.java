package dev.tutti.rendezvous.internal.relay;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory for bytes that were read from one end of a pair and that the other end has not taken yet: a bound for the server, of which each
 * cluster with pairs has an equal share. Beyond it a direction is read only when nothing of it waits, and little at a time, so that ends
 * that take nothing can't use up the memory, and those of other clusters are as fast as before. Thread-safe.
 */
public final class RelayBudget {

    private final long bytesMax;
    private final AtomicLong waiting = new AtomicLong();

    /** Guarded by the lock. */
    private final Map<String, Share> shares = new HashMap<>();

    private volatile long shareMax;

    public RelayBudget(long bytesMax) {
        this.bytesMax = bytesMax;
        this.shareMax = bytesMax;
    }

    /** The part of one cluster. */
    public final class Share {

        private final String cluster;
        private final AtomicLong waiting = new AtomicLong();

        /** Guarded by the budget's lock. */
        private int pairs;

        private Share(String cluster) {
            this.cluster = cluster;
        }

        /** Notes bytes that begin to wait, or that wait no more if the number is negative. */
        public void add(long bytes) {
            waiting.addAndGet(bytes);
            RelayBudget.this.waiting.addAndGet(bytes);
        }

        /** Returns whether as much waits as may, of this cluster or in total. */
        public boolean isUsedUp() {
            return waiting.get() >= shareMax || RelayBudget.this.waiting.get() >= bytesMax;
        }

        /** Notes that a pair is over. */
        void leave() {
            RelayBudget.this.leave(this);
        }
    }

    /** Returns the share of a cluster that has one more pair. */
    synchronized Share enter(String cluster) {
        Share share = shares.computeIfAbsent(cluster, Share::new);
        share.pairs++;
        shareMax = bytesMax / shares.size();
        return share;
    }

    private synchronized void leave(Share share) {
        share.pairs--;
        if (share.pairs == 0) {
            shares.remove(share.cluster);
            shareMax = bytesMax / Math.max(1, shares.size());
        }
    }

    /** Returns the bytes that wait at present. */
    public long waiting() {
        return waiting.get();
    }
}
