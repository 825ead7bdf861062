package dev.tutti.internal.door;

import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Delays log-ins after failures, by origin and by account. A log-in is checked after its delay, whatever failed before
 * it: the right one gets in after {@link #delayMaxNanos} at most. So nobody can lock others out, and each guess costs a
 * wait with an open connection.
 *
 * <p>Secrets that can't be guessed need no delays ({@code docs/decisions/0282-log-ins-are-delayed-not-refused.md}).
 * Thread-safe.
 */
public final class Backoff {

    /** Number of failures from which on log-ins are delayed. */
    static final int FREE_FAILURES = 3;

    static final long DELAY_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(250);
    static final long DELAY_NANOS_MAX = TimeUnit.SECONDS.toNanos(4);

    /** Time after which one failure is forgotten. */
    static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Most failures that are remembered: more would only take longer to forget. */
    static final int FAILURES_MAX = 10;

    /**
     * Most origins and accounts that are remembered; beyond that, the one whose last failure is oldest is forgotten.
     */
    static final int TALLIES_MAX = 4_096;

    private static final int ACCOUNT_LENGTH_MAX = 64;

    /** Failures of an origin or an account. */
    private static final class Tally {
        int failures;
        int waiting;
        long forgottenNanos;
    }

    /** A log-in that waits to be checked. */
    public static final class Attempt {

        /** An attempt without delay and not remembered: its secret can't be guessed. */
        public static final Attempt IMMEDIATE = new Attempt(0, _ -> {});

        private final long delayNanos;
        private final Consumer<@Nullable Boolean> onOver;
        private final AtomicBoolean isOver = new AtomicBoolean();

        private Attempt(long delayNanos, Consumer<@Nullable Boolean> onOver) {
            this.delayNanos = delayNanos;
            this.onOver = onOver;
        }

        /** Returns the time to wait before the log-in is checked; mostly 0. */
        public long delayNanos() {
            return delayNanos;
        }

        /** Notes the result of the check. Only the first end of an attempt counts. */
        public void end(boolean isRight) {
            if (isOver.compareAndSet(false, true)) {
                onOver.accept(isRight);
            }
        }

        /** Notes that the peer disconnected before the log-in was checked. */
        public void abandon() {
            if (isOver.compareAndSet(false, true)) {
                onOver.accept(null);
            }
        }
    }

    private final int waitingMax;
    private final long delayMaxNanos;
    private final LongSupplier nanoTime;
    private final LinkedHashMap<String, Tally> tallies = new LinkedHashMap<>();

    /**
     * @param waitingMax log-ins of one origin that may wait at a time; further ones are refused until one was checked
     * @param patienceNanos time within which a log-in has to be checked
     */
    public Backoff(int waitingMax, long patienceNanos, LongSupplier nanoTime) {
        this.waitingMax = waitingMax;
        this.delayMaxNanos = Math.min(DELAY_NANOS_MAX, patienceNanos / 2);
        this.nanoTime = nanoTime;
    }

    /** Returns the longest time that a log-in waits. */
    public long delayMaxNanos() {
        return delayMaxNanos;
    }

    /**
     * Begins a log-in.
     *
     * @param account account; empty if there is only one, or it is not known yet: then the origin alone counts
     * @return null if the largest number of this origin's log-ins waits already
     */
    public @Nullable Attempt begin(@Nullable SocketAddress remote, String account) {
        return begin(remote, account, false);
    }

    /**
     * Begins a log-in whose check takes long itself, such as that of a password: it counts among those of its origin that wait until it ends,
     * also without a delay.
     *
     * @param account account that it names
     * @return null if the largest number of this origin's log-ins waits already
     */
    public @Nullable Attempt beginSlow(@Nullable SocketAddress remote, String account) {
        return begin(remote, account, true);
    }

    private synchronized @Nullable Attempt begin(@Nullable SocketAddress remote, String account, boolean isSlow) {
        String name = account.length() > ACCOUNT_LENGTH_MAX ? account.substring(0, ACCOUNT_LENGTH_MAX) : account;
        String origin = "origin " + Origins.of(remote);
        // With a single account, its count would affect everybody.
        List<String> keys = name.isEmpty() ? List.of(origin) : List.of(origin, "account " + name);
        long delayNanos = 0;
        for (String key : keys) {
            delayNanos = Math.max(delayNanos, delay(current(key)));
        }
        if (delayNanos == 0 && !isSlow) {
            return new Attempt(0, isRight -> note(keys, isRight));
        }
        Tally waitsAt = tally(origin);
        if (waitsAt.waiting >= waitingMax) {
            return null;
        }
        waitsAt.waiting++;
        return new Attempt(delayNanos, isRight -> {
            synchronized (this) {
                waitsAt.waiting--;
                note(keys, isRight);
            }
        });
    }

    /**
     * Counts a result. A success cancels a failure: users who share an address are not delayed for long by forgetful
     * ones.
     */
    private synchronized void note(List<String> keys, @Nullable Boolean isRight) {
        for (String key : keys) {
            if (Boolean.FALSE.equals(isRight)) {
                Tally tally = tally(key);
                tally.failures = Math.min(FAILURES_MAX, tally.failures + 1);
                tallies.putLast(key, tally);
            } else if (isRight != null) {
                Tally tally = current(key);
                if (tally != null) {
                    tally.failures = Math.max(0, tally.failures - 1);
                }
            }
        }
    }

    private long delay(@Nullable Tally tally) {
        return tally == null || tally.failures < FREE_FAILURES
                ? 0
                : Math.min(delayMaxNanos, DELAY_NANOS_MIN << (tally.failures - FREE_FAILURES));
    }

    private Tally tally(String key) {
        Tally tally = current(key);
        if (tally == null) {
            tally = new Tally();
            tally.forgottenNanos = nanoTime.getAsLong();
            tallies.putLast(key, tally);
            if (tallies.size() > TALLIES_MAX) {
                tallies.pollFirstEntry();
            }
        }
        return tally;
    }

    private @Nullable Tally current(String key) {
        Tally tally = tallies.get(key);
        if (tally == null) {
            return null;
        }
        long forgotten = (nanoTime.getAsLong() - tally.forgottenNanos) / FORGET_NANOS;
        tally.failures = (int) Math.max(0, tally.failures - forgotten);
        tally.forgottenNanos += forgotten * FORGET_NANOS;
        if (tally.failures == 0 && tally.waiting == 0) {
            tallies.remove(key);
            return null;
        }
        return tally;
    }

    /** Returns the number of origins and accounts that are remembered now. */
    synchronized int remembered() {
        return tallies.size();
    }
}
