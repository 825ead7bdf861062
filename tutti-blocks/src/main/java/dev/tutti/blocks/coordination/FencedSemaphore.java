package dev.tutti.blocks.coordination;

import dev.tutti.blocks.internal.argument.Arguments;
import java.time.Duration;
import java.util.Optional;

/**
 * A number of permits that members of the group share. For partition, merge and crashes see {@link FencedLock}.
 *
 * <p>The queue is fair: a request for many permits is not overtaken by one for few. All members give the same number of
 * permits as long as any are held or wanted; a request with another number is refused.
 */
public final class FencedSemaphore {

    private final Leases leases;
    private final String name;
    private final int permits;
    private final Duration timeout;

    FencedSemaphore(Leases leases, String name, int permits, Duration timeout) {
        this.leases = leases;
        this.name = name;
        this.permits = permits;
        this.timeout = timeout;
    }

    /**
     * Takes permits if they are all free and nobody waits.
     *
     * @return empty if they are not, or the group has not answered within the time-out of its commands
     */
    public Optional<Hold> tryAcquire(int count) {
        checkCount(count);
        return leases.await(leases.claim(name, permits, count, false, timeout), timeout);
    }

    /** Waits for permits; returns empty if they do not come in this time, 1 ms to 1 day. */
    public Optional<Hold> tryAcquire(int count, Duration within) {
        checkCount(count);
        Arguments.timeout(within, "tryAcquire: the time to wait");
        return leases.await(leases.claim(name, permits, count, true, within), within);
    }

    private void checkCount(int count) {
        if (count < 1 || count > permits) {
            throw new IllegalArgumentException("tryAcquire of " + name + ": " + count + " permits, 1 to " + permits);
        }
    }
}
