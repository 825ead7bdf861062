package dev.tutti.jcache;

import dev.tutti.jcache.internal.CacheCommand;
import dev.tutti.jcache.internal.CacheMachine;
import dev.tutti.jcache.internal.CacheSettings;
import dev.tutti.jcache.internal.Change;
import dev.tutti.jcache.internal.Key;
import dev.tutti.jcache.internal.Serializer;
import dev.tutti.jcache.internal.Stored;
import dev.tutti.jcache.internal.Version;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import javax.cache.CacheException;
import org.jspecify.annotations.Nullable;

/**
 * The operations on entries: each looks at the entry of this member, decides, and has its decision made if the entry is
 * still the same when all members get to it; if it was overtaken, it decides again. So operations on an entry take effect
 * one after another, whatever they do and at whatever member. Thread-safe.
 */
final class Updates<K, V> {

    private final String cache;
    private final CacheMachine machine;
    private final CacheSettings settings;
    private final Serializer serializer;
    private final Expiry expiry;
    private final Source<K, V> source;
    private final CacheListeners<K, V> listeners;

    /** Operations of this member on an entry do not overtake each other. */
    private final EntryLocks locks;

    /**
     * An operation that is not done yet.
     *
     * @param name the key as the application names it
     */
    private record Open<K, V>(K name, Key key, Step.Decision<V, ?> decision) {}

    /**
     * A decision that is to be made.
     *
     * @param seen the entry that it is about; null for none
     */
    private record Attempt<V, R>(Step<V, R> step, @Nullable Stored seen, boolean isExpired) {

        @Nullable Stored live() {
            return isExpired ? null : seen;
        }

        Version version() {
            return seen == null ? Version.NONE : seen.version();
        }
    }

    /**
     * An operation that is done.
     *
     * @param kind of the change that was made; null if nothing had to be confirmed
     */
    record Done<R>(R result, Change.@Nullable Kind kind) {

        /** Returns 1 if the entry was put or removed, 0 if not. */
        int made() {
            return kind != null && isMade(kind) ? 1 : 0;
        }
    }

    private static boolean isMade(Change.Kind kind) {
        return kind == Change.Kind.PUT || kind == Change.Kind.REMOVE;
    }

    Updates(
            String cache,
            CacheMachine machine,
            CacheSettings settings,
            Serializer serializer,
            Expiry expiry,
            Source<K, V> source,
            CacheListeners<K, V> listeners,
            EntryLocks locks) {
        this.cache = cache;
        this.machine = machine;
        this.settings = settings;
        this.serializer = serializer;
        this.expiry = expiry;
        this.source = source;
        this.listeners = listeners;
        this.locks = locks;
    }

    // ------------------------------------------------------------------ one entry

    /**
     * Operates on one entry.
     *
     * @throws CacheException at the deadline at the latest, or if the cache is full
     */
    <R> Done<R> update(K name, Step.Decision<V, R> decision) {
        machine.checkUsable();
        Key key = serializer.key(name);
        long deadlineNanos = machine.nowNanos() + settings.timeout().toNanos();
        EntryLocks.Stripe lock = locks.of(name);
        long ticket = machine.nextTicket();
        Done<R> done;
        lock(lock, name, deadlineNanos);
        try {
            done = updateLocked(name, key, decision, ticket, deadlineNanos);
        } finally {
            lock.release();
        }
        if (done.kind() != null) {
            // After the lock: a listener may change the same entry.
            listeners.await(ticket, settings.timeout());
        }
        return done;
    }

    private <R> Done<R> updateLocked(
            K name, Key key, Step.Decision<V, R> decision, long ticket, long deadlineNanos) {
        boolean isWritten = false;
        while (true) {
            Attempt<V, R> attempt = attempt(name, decision);
            Step.Action action = attempt.step().action();
            if (action == Step.Action.NOTHING) {
                return new Done<>(attempt.step().result(), null);
            }
            boolean isWrite = action == Step.Action.PUT || action == Step.Action.REMOVE;
            if (source.isWritten() && (isWrite || isWritten)) {
                write(name, attempt, isWrite);
            }
            Change change = isWritten && !isWrite && attempt.live() != null
                    ? Change.of(key, attempt.version(), Change.Kind.RENEW, false)
                    : change(key, attempt);
            isWritten |= source.isWritten() && isWrite;
            switch (call(ticket, List.of(change), deadlineNanos).results().getFirst()) {
                case DONE -> {
                    return new Done<>(attempt.step().result(), change.kind());
                }
                case OVERTAKEN -> checkDeadline(name, deadlineNanos);
                case REFUSED -> throw full();
            }
        }
    }

    /**
     * Tells the writer what is to be made; or, if an operation was overtaken after it had told the writer, and now changes
     * nothing, what is there instead.
     */
    private void write(K name, Attempt<V, ?> attempt, boolean isWrite) {
        V value = isWrite ? attempt.step().value() : value(attempt.live());
        if (value == null) {
            source.delete(name);
        } else {
            source.write(name, value);
        }
    }

    @SuppressWarnings("unchecked") // The entries of a cache have its types.
    private @Nullable V value(@Nullable Stored entry) {
        return entry == null ? null : (V) entry.value(serializer);
    }

    private void lock(EntryLocks.Stripe lock, K name, long deadlineNanos) {
        try {
            if (!lock.acquire(deadlineNanos - machine.nowNanos())) {
                throw new CacheException("cache " + cache + ": another operation of this member on " + name
                        + " or a neighbour has not ended within " + settings.timeout() + "; nothing was changed, try again");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CacheException("cache " + cache + ": interrupted before an operation on " + name + "; nothing was changed", e);
        }
    }

    // ------------------------------------------------------------------ many entries

    /**
     * Operates on many entries, each by itself, in as few commands as it takes; without the writer.
     *
     * @return the number of entries that were put or removed
     */
    int updateAll(Map<? extends K, Step.Decision<V, ?>> decisions) {
        machine.checkUsable();
        Deque<Open<K, V>> open = new ArrayDeque<>();
        decisions.forEach((name, decision) -> open.add(new Open<>(name, serializer.key(name), decision)));
        long deadlineNanos = machine.nowNanos() + settings.timeout().toNanos();
        long ticket = machine.nextTicket();
        int count = 0;
        boolean isRefused = false;
        while (!open.isEmpty()) {
            List<Open<K, V>> batch = new ArrayList<>();
            List<Change> changes = new ArrayList<>();
            fill(open, batch, changes);
            if (changes.isEmpty()) {
                continue;
            }
            List<CacheCommand.Result> results = call(ticket, changes, deadlineNanos).results();
            for (int index = 0; index < batch.size(); index++) {
                switch (results.get(index)) {
                    case DONE -> count += isMade(changes.get(index).kind()) ? 1 : 0;
                    case OVERTAKEN -> {
                        checkDeadline(batch.get(index).name(), deadlineNanos);
                        open.addLast(batch.get(index));
                    }
                    case REFUSED -> isRefused = true;
                }
            }
        }
        listeners.await(ticket, settings.timeout());
        if (isRefused) {
            throw full();
        }
        return count;
    }

    private void fill(Deque<Open<K, V>> open, List<Open<K, V>> batch, List<Change> changes) {
        long bytes = 0;
        while (!open.isEmpty() && batch.size() < CacheCommand.CHANGES_MAX && bytes < BATCH_BYTES) {
            Open<K, V> next = open.removeFirst();
            Attempt<V, ?> attempt = attempt(next.name(), next.decision());
            if (attempt.step().action() != Step.Action.NOTHING) {
                Change change = change(next.key(), attempt);
                bytes += change.size();
                batch.add(next);
                changes.add(change);
            }
        }
    }

    /** Removes all entries, without the writer; returns how many there were. */
    int clear(boolean isTold) {
        machine.checkUsable();
        long ticket = machine.nextTicket();
        int removed = machine.call(new CacheCommand.Clear(ticket, isTold), settings.timeout()).removed();
        listeners.await(ticket, settings.timeout());
        return removed;
    }

    // ------------------------------------------------------------------ decisions

    private <R> Attempt<V, R> attempt(K name, Step.Decision<V, R> decision) {
        Stored seen = machine.find(name);
        boolean isExpired = seen != null && seen.isExpired(machine.nowNanos());
        return new Attempt<>(decision.decide(isExpired ? null : seen), seen, isExpired);
    }

    private Change change(Key key, Attempt<V, ?> attempt) {
        Stored live = attempt.live();
        return switch (attempt.step().action()) {
            case NOTHING, KEEP -> unchanged(key, attempt);
            case ACCESS -> access(key, attempt);
            case LOAD, PUT -> put(key, attempt);
            case REMOVE ->
                live == null ? unchanged(key, attempt) : Change.of(key, attempt.version(), Change.Kind.REMOVE, false);
        };
    }

    /** Returns the change that leaves the entry as it is, unless its time is over. */
    private static Change unchanged(Key key, Attempt<?, ?> attempt) {
        return Change.of(key, attempt.version(), attempt.isExpired() ? Change.Kind.EXPIRE : Change.Kind.CONFIRM, attempt.isExpired());
    }

    private Change access(Key key, Attempt<V, ?> attempt) {
        long timeToLiveNanos = attempt.live() == null ? Change.UNCHANGED : expiry.forAccess();
        return timeToLiveNanos == Change.UNCHANGED
                ? unchanged(key, attempt)
                : new Change(key, attempt.version(), Change.Kind.TOUCH, NOTHING, timeToLiveNanos, false);
    }

    private Change put(Key key, Attempt<V, ?> attempt) {
        V value = attempt.step().value();
        if (value == null) {
            throw new IllegalStateException("a value is to be set, and there is none");
        }
        byte[] bytes = serializer.write(value, "the value");
        int length = key.bytes().length + bytes.length;
        if (length > settings.bounds().entryBytesMax()) {
            throw new CacheException("cache " + cache + ": an entry of " + length + " bytes, at most "
                    + settings.bounds().entryBytesMax() + " are allowed (dev.tutti.jcache.entryBytesMax)");
        }
        boolean isNew = attempt.live() == null;
        long timeToLiveNanos = isNew ? expiry.forCreation() : expiry.forUpdate();
        if (isNew && timeToLiveNanos == 0) {
            return unchanged(key, attempt);
        }
        return new Change(key, attempt.version(), Change.Kind.PUT, bytes, timeToLiveNanos, attempt.isExpired());
    }

    private CacheCommand.Outcome call(long ticket, List<Change> changes, long deadlineNanos) {
        long leftNanos = Math.max(TIMEOUT_NANOS_MIN, deadlineNanos - machine.nowNanos());
        return machine.call(new CacheCommand.Commit(ticket, changes), Duration.ofNanos(leftNanos));
    }

    private void checkDeadline(K name, long deadlineNanos) {
        if (machine.nowNanos() > deadlineNanos) {
            throw new CacheException("cache " + cache + ": operations of other members on " + name + " were faster for "
                    + settings.timeout() + "; nothing was changed, try again");
        }
    }

    private CacheException full() {
        return new CacheException("cache " + cache + " is full, at most " + settings.bounds().entriesMax() + " entries and "
                + settings.bounds().bytesMax() + " bytes; nothing was changed; raise dev.tutti.jcache.entriesMax or bytesMax at all members,"
                + " or set dev.tutti.jcache.whenFull to evict");
    }

    private static final int BATCH_BYTES = 1024 * 1024;
    private static final long TIMEOUT_NANOS_MIN = 1_000_000;
    private static final byte[] NOTHING = {};
}
