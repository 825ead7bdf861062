package dev.tutti.tomcat;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends explicit changes of a session after a bounded delay, whatever requests are open, and tries again what failed. */
final class DelayedFlush {

    /** Further tries that are a delay apart; after that, changes wait for a request or the background. */
    private static final int RETRIES_SOON_MAX = 4;

    private final TuttiManager owner;
    private final Runnable flush;
    private final AtomicBoolean isScheduled = new AtomicBoolean();
    private final AtomicInteger retries = new AtomicInteger();

    DelayedFlush(TuttiManager owner, Runnable flush) {
        this.owner = owner;
        this.flush = flush;
    }

    /** Something has changed. */
    void schedule() {
        if (isScheduled.compareAndSet(false, true)) {
            owner.afterChangeDelay(() -> {
                isScheduled.set(false);
                flush.run();
            });
        }
    }

    /** Changes were sent; some could not be if {@code isIncomplete}. */
    void onFlushed(boolean isIncomplete) {
        if (!isIncomplete) {
            retries.set(0);
        } else if (retries.incrementAndGet() <= RETRIES_SOON_MAX) {
            schedule();
        }
    }
}
