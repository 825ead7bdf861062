package dev.tutti.blocks.coordination;

import dev.tutti.Threads;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.machine.CommandException.Execution;
import dev.tutti.blocks.machine.CommandException.Reason;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.core.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The permits that this member has, waits for or has asked for, besides the group's state.
 *
 * <p>Permits that this member does not want any more are given back until the group knows: nobody else will do so.
 *
 * <p>May be called from any thread. No outside code is called under the lock.
 */
final class Leases {

    private static final long RETRY_NANOS = 100_000_000;

    private enum Phase {
        ASKING,
        WAITING,
        HELD,
        ENDED
    }

    /** Permits that this member wants. */
    static final class Claim {
        private final String name;
        private final int permits;
        private final int count;
        private final boolean isWaiting;
        private final CompletableFuture<Optional<Hold>> granted = new CompletableFuture<>();
        private Phase phase = Phase.ASKING;
        private long request;
        private @Nullable Hold hold;

        private Claim(String name, int permits, int count, boolean isWaiting) {
            this.name = name;
            this.permits = permits;
            this.count = count;
            this.isWaiting = isWaiting;
        }

        CompletableFuture<Optional<Hold>> granted() {
            return granted;
        }
    }

    private final Threads threads;
    private final Callbacks callbacks;
    private final Objects objects;
    private final CompletableFuture<Replica<Command, Answer>> joined = new CompletableFuture<>();
    private final Map<Long, Claim> open = new HashMap<>();
    private long requests;
    private volatile boolean isClosed;

    Leases(Threads threads, Callbacks callbacks, Function<Leases, Objects> objects) {
        this.threads = threads;
        this.callbacks = callbacks;
        this.objects = objects.apply(this);
    }

    Callbacks callbacks() {
        return callbacks;
    }

    Objects objects() {
        return objects;
    }

    void open(Replica<Command, Answer> replica) {
        joined.complete(replica);
    }

    private Replica<Command, Answer> replica() {
        return joined.join();
    }

    // ------------------------------------------------------------------ wanting

    Claim claim(String name, int permits, int count, boolean isWaiting, Duration within) {
        Claim claim = new Claim(name, permits, count, isWaiting);
        ask(claim, within);
        return claim;
    }

    private void ask(Claim claim, Duration within) {
        long request;
        synchronized (this) {
            request = ++requests;
            claim.request = request;
            claim.phase = Phase.ASKING;
            open.put(request, claim);
        }
        replica()
                .submit(new Command.Acquire(claim.name, claim.permits, claim.count, request, claim.isWaiting), within)
                .whenComplete((answer, failure) -> onAnswer(claim, request, answer, failure));
    }

    /** Waits for the permits, for this long at most. */
    Optional<Hold> await(Claim claim, Duration within) {
        try {
            return threads.get(claim.granted, within.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            if (withdraw(claim)) {
                return Optional.empty();
            }
            // The claim is being granted: its permits are there, or are about to be.
            return await(claim);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            if (!withdraw(claim)) {
                claim.granted.thenAccept(hold -> hold.ifPresent(Hold::close));
            }
            return Optional.empty();
        } catch (ExecutionException e) {
            return orThrow(null, e.getCause());
        }
    }

    private Optional<Hold> await(Claim claim) {
        try {
            return threads.join(claim.granted);
        } catch (CompletionException e) {
            return orThrow(null, e.getCause());
        }
    }

    private static Optional<Hold> orThrow(@Nullable Optional<Hold> hold, @Nullable Throwable failure) {
        if (failure == null && hold != null) {
            return hold;
        }
        if (failure instanceof CommandException known) {
            if (known.reason() == Reason.TIMED_OUT) {
                return Optional.empty();
            }
            throw known.here();
        }
        throw new IllegalStateException(failure);
    }

    /** @return false if it is held, or over, already */
    boolean withdraw(Claim claim) {
        long request;
        synchronized (this) {
            if (claim.phase != Phase.ASKING && claim.phase != Phase.WAITING) {
                return false;
            }
            claim.phase = Phase.ENDED;
            request = claim.request;
            open.remove(request);
        }
        giveBack(claim.name, request, new CompletableFuture<>());
        return true;
    }

    /** Gives back the permits; completes when the group knows, with whether they were held until then. */
    CompletableFuture<Boolean> release(Claim claim) {
        synchronized (this) {
            if (claim.phase != Phase.HELD) {
                return CompletableFuture.completedFuture(false);
            }
            claim.phase = Phase.ENDED;
            open.remove(claim.request);
        }
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        giveBack(claim.name, claim.request, told);
        return told;
    }

    synchronized boolean isHeld(Claim claim) {
        return claim.phase == Phase.HELD;
    }

    private void giveBack(String name, long request, CompletableFuture<Boolean> told) {
        replica().submit(new Command.Release(name, request)).whenComplete((answer, failure) -> {
            if (failure == null) {
                told.complete(answer.isDone());
            } else if (isClosed || failure instanceof CommandException e && e.reason() == Reason.CLOSED) {
                told.complete(false);
            } else {
                threads.startAfter(RETRY_NANOS, "tutti-release", () -> giveBack(name, request, told));
            }
        });
    }

    // ------------------------------------------------------------------ what the group says

    private void onAnswer(Claim claim, long request, @Nullable Answer answer, @Nullable Throwable failure) {
        if (answer == null) {
            onFailure(claim, request, failure);
        } else if (answer.isDone()) {
            onHeld(claim, request, answer.value());
        } else if (!claim.isWaiting) {
            if (end(claim, request)) {
                claim.granted.complete(Optional.empty());
            }
        } else {
            synchronized (this) {
                if (claim.phase == Phase.ASKING && claim.request == request) {
                    claim.phase = Phase.WAITING;
                }
            }
        }
    }

    private void onFailure(Claim claim, long request, @Nullable Throwable failure) {
        if (failure instanceof CommandException e && e.execution() == Execution.UNKNOWN && e.reason() != Reason.CLOSED) {
            // It may still be granted, though nobody waits for it.
            giveBack(claim.name, request, new CompletableFuture<>());
        }
        if (end(claim, request) && failure != null) {
            claim.granted.completeExceptionally(failure);
        }
    }

    private synchronized boolean end(Claim claim, long request) {
        if (claim.request != request || claim.phase == Phase.ENDED) {
            return false;
        }
        claim.phase = Phase.ENDED;
        open.remove(request);
        return true;
    }

    private void onHeld(Claim claim, long request, long token) {
        Hold hold = new Hold(this, claim, claim.name, token);
        synchronized (this) {
            if (claim.request != request || claim.phase != Phase.ASKING && claim.phase != Phase.WAITING) {
                // It was withdrawn, and the group is being told.
                return;
            }
            claim.phase = Phase.HELD;
            claim.hold = hold;
        }
        claim.granted.complete(Optional.of(hold));
    }

    /** A waiting claim was granted. */
    void onGranted(Permits.Claim granted) {
        if (!joined.isDone() || !granted.member().equals(replica().self())) {
            return;
        }
        Claim claim;
        synchronized (this) {
            claim = open.get(granted.request());
        }
        if (claim != null) {
            onHeld(claim, granted.request(), granted.token());
        }
    }

    /** Outside of the primary partition nothing is held. */
    void onSuspended(String reason) {
        for (Claim claim : taken(claim -> claim.phase == Phase.HELD)) {
            giveBack(claim.name, claim.request, new CompletableFuture<>());
            lose(claim, reason);
        }
    }

    /** In a primary view: leases that the state does not have for this member are lost. */
    void onView() {
        if (!joined.isDone()) {
            return;
        }
        Member self = replica().self();
        for (Claim claim : taken(claim -> claim.phase == Phase.HELD && !isInState(claim, self))) {
            lose(claim, "the state of the primary partition does not have it");
        }
        List<Claim> missing = new ArrayList<>();
        synchronized (this) {
            open.values().removeIf(claim -> {
                boolean isMissing = claim.phase == Phase.WAITING && !isInState(claim, self);
                if (isMissing) {
                    missing.add(claim);
                }
                return isMissing;
            });
        }
        missing.sort(Comparator.comparingLong(claim -> claim.request));
        missing.forEach(claim -> ask(claim, ASK_AGAIN));
    }

    private boolean isInState(Claim claim, Member self) {
        return objects.contains(claim.name, self, claim.request);
    }

    void onClosed(String reason) {
        isClosed = true;
        for (Claim claim : taken(claim -> claim.phase == Phase.HELD)) {
            lose(claim, reason);
        }
        for (Claim claim : taken(claim -> claim.phase == Phase.WAITING)) {
            claim.granted.complete(Optional.empty());
        }
    }

    private List<Claim> taken(Predicate<Claim> condition) {
        List<Claim> taken = new ArrayList<>();
        synchronized (this) {
            for (Claim claim : List.copyOf(open.values())) {
                if (condition.test(claim)) {
                    claim.phase = Phase.ENDED;
                    open.remove(claim.request);
                    taken.add(claim);
                }
            }
        }
        taken.sort(Comparator.comparingLong(claim -> claim.request));
        return taken;
    }

    private static void lose(Claim claim, String reason) {
        Hold hold = claim.hold;
        if (hold != null) {
            hold.lose(reason);
        }
    }

    synchronized int size() {
        return open.size();
    }

    private static final Duration ASK_AGAIN = Duration.ofMinutes(1);
}
