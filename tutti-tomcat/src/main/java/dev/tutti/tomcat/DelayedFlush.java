package dev.tutti.tomcat;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends explicit changes of a session after a bounded delay, even while requests are open, and retries failed ones. */
final class DelayedFlush {

    /** Number of retries one delay apart; after those, changes wait for the next request or background run. */
    private static final int RETRIES_SOON_MAX = 4;

    private final TuttiManager owner;
    private final Runnable flush;
    private final AtomicBoolean isScheduled = new AtomicBoolean();
    private final AtomicInteger retries = new AtomicInteger();

    DelayedFlush(TuttiManager owner, Runnable flush) {
        this.owner = owner;
        this.flush = flush;
    }

    /** Schedules a flush of new changes, unless one is scheduled already. */
    void schedule() {
        if (isScheduled.compareAndSet(false, true)) {
            owner.afterChangeDelay(() -> {
                isScheduled.set(false);
                flush.run();
            });
        }
    }

    /** Notes the end of a flush; schedules a retry, up to the limit, if some changes could not be sent. */
    void onFlushed(boolean isIncomplete) {
        if (!isIncomplete) {
            retries.set(0);
        } else if (retries.incrementAndGet() <= RETRIES_SOON_MAX) {
            schedule();
        }
    }
}
