package dev.tutti.blocks.coordination;

import dev.tutti.blocks.internal.Arguments;
import java.time.Duration;
import java.util.Optional;

/**
 * A lock that one member of the group has at a time. Not reentrant: who asks twice waits for itself.
 *
 * <p><b>Partition.</b> Granted in the primary partition alone; outside nobody gets it, and who had it has lost it. <b>Merge.</b>
 * The primary partition's holder stays; who comes back holds nothing, and who was waiting waits anew, at the end. <b>Crash.</b>
 * The lock of a member that is gone goes to the next with the view that says so. <b>State lost.</b> When all members that have
 * the state are gone at once, all locks are free; tokens go on rising. See {@link Hold} for what a token is for.
 */
public final class FencedLock {

    private final Claims claims;
    private final String name;
    private final Duration timeout;

    FencedLock(Claims claims, String name, Duration timeout) {
        this.claims = claims;
        this.name = name;
        this.timeout = timeout;
    }

    Claims claims() {
        return claims;
    }

    /**
     * Takes the lock if it is free and nobody waits for it.
     *
     * @return empty if it is not, or the group has not answered within the time-out of its commands
     * @throws dev.tutti.blocks.machine.CommandException if it can't be asked for
     */
    public Optional<Hold> tryAcquire() {
        return claims.await(claims.claim(name, 1, 1, false, timeout), timeout);
    }

    /** Waits for the lock, after those who have waited before; empty if it does not come within so long, 1 ms to 1 day. */
    public Optional<Hold> tryAcquire(Duration within) {
        Arguments.timeout(within, "tryAcquire: the time to wait");
        return claims.await(claims.claim(name, 1, 1, true, within), within);
    }
}
