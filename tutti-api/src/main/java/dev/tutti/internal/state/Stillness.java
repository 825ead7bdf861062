package dev.tutti.internal.state;

import dev.tutti.Threads;
import java.util.concurrent.atomic.AtomicLong;

/** Time for which the application's {@code install} has neither returned nor read on. Thread-safe. */
final class Stillness {

    private final Threads threads;

    /** Number of calls of {@code read}, counted by the reading thread without a barrier. */
    private final AtomicLong reads = new AtomicLong();

    private boolean isCalled;

    /** The application waits in {@code read} for more of the state. */
    private boolean isReading;

    /** Time of the last change of these two flags or, as far as a look has noticed, of the last read. */
    private long sinceNanos;

    private long readsSeen;

    Stillness(Threads threads) {
        this.threads = threads;
    }

    synchronized void called(boolean isCalledNow) {
        isCalled = isCalledNow;
        sinceNanos = threads.nanoTime();
    }

    synchronized void reading(boolean isReadingNow) {
        isReading = isReadingNow;
        sinceNanos = threads.nanoTime();
    }

    void onRead() {
        reads.lazySet(reads.get() + 1);
    }

    /** Returns the time; negative if the application is not in its own code. */
    synchronized long nanos() {
        if (!isCalled || isReading) {
            return -1;
        }
        long now = threads.nanoTime();
        long seen = reads.get();
        if (seen != readsSeen) {
            readsSeen = seen;
            sinceNanos = now;
        }
        return now - sinceNanos;
    }
}
