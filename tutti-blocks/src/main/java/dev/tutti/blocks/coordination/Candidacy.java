package dev.tutti.blocks.coordination;

import dev.tutti.Threads;
import dev.tutti.blocks.machine.CommandException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A member's candidacy for an election, until it is closed. */
public final class Candidacy implements AutoCloseable {

    private static final long RETRY_NANOS = 100_000_000;

    private final Leases leases;
    private final Threads threads;
    private final String name;
    private final Duration timeout;
    private final Candidate candidate;
    private boolean isClosed;
    private Leases.@Nullable Claim claim;
    private @Nullable Hold hold;

    Candidacy(Leases leases, Threads threads, String name, Duration timeout, Candidate candidate) {
        this.leases = leases;
        this.threads = threads;
        this.name = name;
        this.timeout = timeout;
        this.candidate = candidate;
    }

    void stand() {
        Leases.Claim asked;
        synchronized (this) {
            if (isClosed) {
                return;
            }
            hold = null;
        }
        asked = leases.claim(name, 1, 1, true, timeout);
        boolean isLate;
        synchronized (this) {
            claim = asked;
            isLate = isClosed;
        }
        if (isLate) {
            leases.withdraw(asked);
        }
        asked.granted().whenComplete(this::onGranted);
    }

    private void onGranted(@Nullable Optional<Hold> granted, @Nullable Throwable failure) {
        if (granted != null && granted.isPresent()) {
            onElected(granted.get());
        } else if (failure instanceof CommandException e && e.reason() != CommandException.Reason.CLOSED) {
            threads.startAfter(RETRY_NANOS, "tutti-candidacy", this::stand);
        }
    }

    private void onElected(Hold won) {
        synchronized (this) {
            hold = won;
            if (isClosed) {
                won.close();
                return;
            }
        }
        leases.callbacks().call("onElected", candidate::onElected, won.token());
        won.onLost(reason -> {
            leases.callbacks().call("onDeposed", candidate::onDeposed, reason);
            stand();
        });
    }

    /** Returns whether this member leads, as far as it knows. */
    public synchronized boolean isLeader() {
        return hold != null && hold.isHeld();
    }

    /** Ends candidacy and leadership: the next candidate is elected. Does not call {@link Candidate#onDeposed}. */
    @Override
    public void close() {
        Leases.Claim asked;
        Hold held;
        synchronized (this) {
            isClosed = true;
            asked = claim;
            held = hold;
        }
        if (asked != null) {
            leases.withdraw(asked);
        }
        if (held != null) {
            held.close();
        }
    }
}
