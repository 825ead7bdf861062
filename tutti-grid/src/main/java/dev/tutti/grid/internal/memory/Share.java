package dev.tutti.grid.internal.memory;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Memory that several holders share. When they have more than it, the one that weighs the most gives some back, until it is enough: a
 * holder that has little is not the victim of those that have much. Thread-safe.
 */
public final class Share {

    /** A holder that is asked gives back a part of what it has, so that the next one is not looked for at once. */
    private static final int PART = 8;

    /** One that has memory. */
    public interface Holder {

        /** Returns what it has. */
        long heldBytes();

        /** Returns how much is to be said for asking this one: more for more memory, and for memory that is held for longer. */
        default double weight() {
            return heldBytes();
        }

        /** Gives back as much, or a part of it. {@link #heldBytes} is lower at once. Takes locks of the holder's own. */
        void giveBack(long bytes);
    }

    private final long bytesMax;
    private final AtomicLong usedBytes = new AtomicLong();
    private final LongAdder relieved = new LongAdder();
    private final Set<Holder> holders = ConcurrentHashMap.newKeySet();
    private final ReentrantLock relieving = new ReentrantLock();

    public Share(long bytesMax) {
        if (bytesMax < 1) {
            throw new IllegalArgumentException("a share has at least one byte, not " + bytesMax);
        }
        this.bytesMax = bytesMax;
    }

    public long bytesMax() {
        return bytesMax;
    }

    public long usedBytes() {
        return usedBytes.get();
    }

    /** Returns the number of times that a holder had to give some back. */
    public long relieved() {
        return relieved.sum();
    }

    public void enter(Holder holder) {
        holders.add(holder);
    }

    public void leave(Holder holder) {
        holders.remove(holder);
    }

    /**
     * Counts bytes that were taken, or given back if they are negative. Whoever takes some calls {@link #relieve} afterwards, without
     * a lock of its own.
     */
    public void add(long bytes) {
        usedBytes.addAndGet(bytes);
    }

    /** Takes bytes if holders can make room for them. Without a lock that holders take. */
    public boolean tryTake(long bytes) {
        add(bytes);
        relieve();
        if (usedBytes.get() <= bytesMax) {
            return true;
        }
        add(-bytes);
        return false;
    }

    /** Has the heaviest holders give back what is too much. */
    public void relieve() {
        // One thread at a time is enough; what others take meanwhile is seen by it, or by the next one.
        while (usedBytes.get() > bytesMax && relieving.tryLock()) {
            try {
                if (!relieveOnce()) {
                    return;
                }
            } finally {
                relieving.unlock();
            }
        }
    }

    /** Returns whether somebody gave something back. */
    private boolean relieveOnce() {
        long excess = usedBytes.get() - bytesMax;
        Holder heaviest = heaviest();
        if (excess <= 0 || heaviest == null) {
            return false;
        }
        long held = heaviest.heldBytes();
        relieved.increment();
        heaviest.giveBack(Math.max(excess, held / PART));
        return heaviest.heldBytes() < held;
    }

    private @Nullable Holder heaviest() {
        Holder heaviest = null;
        double most = 0;
        for (Holder each : holders) {
            double weight = each.weight();
            if (weight > most) {
                most = weight;
                heaviest = each;
            }
        }
        return heaviest;
    }
}
