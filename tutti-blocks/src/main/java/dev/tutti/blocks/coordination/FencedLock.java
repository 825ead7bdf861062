package dev.tutti.blocks.coordination;

import dev.tutti.blocks.internal.argument.Arguments;
import java.time.Duration;
import java.util.Optional;

/**
 * A lock that one member of the group has at a time. Not reentrant: a member that asks twice waits for itself.
 *
 * <p><b>Partition.</b> Granted in the primary partition alone; outside nobody gets it, and a holder has lost it.
 * <b>Merge.</b> The primary partition's holder stays; a member that comes back holds nothing, and if it was waiting, it
 * waits anew, at the end. <b>Crash.</b> The lock of a member that is gone passes to the next with the view that
 * excludes it. <b>State lost.</b> When all members that have the state are gone at once, all locks are free; tokens
 * continue to rise. See {@link Hold} for the use of tokens.
 */
public final class FencedLock {

    private final Leases leases;
    private final String name;
    private final Duration timeout;

    FencedLock(Leases leases, String name, Duration timeout) {
        this.leases = leases;
        this.name = name;
        this.timeout = timeout;
    }

    Leases leases() {
        return leases;
    }

    /**
     * Takes the lock if it is free and nobody waits for it.
     *
     * @return empty if it is not free, or the group has not answered within the time-out of its commands
     * @throws dev.tutti.blocks.machine.CommandException if it can't be asked for
     */
    public Optional<Hold> tryAcquire() {
        return leases.await(leases.claim(name, 1, 1, false, timeout), timeout);
    }

    /** Waits for the lock, after earlier ones; returns empty if it does not come in this time, 1 ms to 1 day. */
    public Optional<Hold> tryAcquire(Duration within) {
        Arguments.timeout(within, "tryAcquire: the time to wait");
        return leases.await(leases.claim(name, 1, 1, true, within), within);
    }
}
