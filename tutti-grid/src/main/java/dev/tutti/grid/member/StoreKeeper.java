package dev.tutti.grid.member;

import dev.tutti.Threads;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Query;
import dev.tutti.grid.store.RegistryStore;
import dev.tutti.grid.store.StoreException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the changes of the registry to the store, in order, on one thread at a time. When the store has failed, all of it is
 * written again, with pauses that grow from one second to fifteen, so that a store that has come back is right within them.
 */
final class StoreKeeper implements Registry.Changes {

    private static final Logger LOG = LoggerFactory.getLogger(StoreKeeper.class);

    /** Changes that may wait; if there are more, all entries are written again instead. */
    private static final int CHANGES_MAX = 10_000;

    /** Longest wait of a query for changes that are still to be written. */
    private static final long WRITING_NANOS = 1_000_000_000L;

    private static final long PAUSE_MIN_NANOS = 1_000_000_000L;
    private static final long PAUSE_MAX_NANOS = 15_000_000_000L;

    /** @param entry null if the entry has gone */
    private record Change(String id, @Nullable Entry entry) {}

    private final Threads threads;
    private final RegistryStore store;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition written;

    // Guarded by the lock.
    private final ArrayDeque<Change> changes = new ArrayDeque<>();

    /** Number of changes that have come, and of those that are written. */
    private long addedCount;
    private long writtenCount;
    private @Nullable Supplier<List<Entry>> all;
    private boolean isRewriting = true;
    private boolean isRunning;
    private boolean isClosed;
    private @Nullable String failure = "it has not been written yet";
    private long pauseNanos = PAUSE_MIN_NANOS;
    private long failures;

    StoreKeeper(Threads threads, RegistryStore store) {
        this.threads = threads;
        this.store = store;
        this.written = threads.condition(lock);
    }

    /**
     * Begins to write.
     *
     * @param entries returns the present entries
     */
    void start(Supplier<List<Entry>> entries) {
        lock.lock();
        try {
            all = entries;
            wake();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onPut(Entry entry) {
        add(new Change(entry.id(), entry));
    }

    @Override
    public void onRemoved(String id) {
        add(new Change(id, null));
    }

    private void add(Change change) {
        lock.lock();
        try {
            addedCount++;
            if (changes.size() < CHANGES_MAX) {
                changes.add(change);
            } else {
                changes.clear();
                isRewriting = true;
            }
            wake();
        } finally {
            lock.unlock();
        }
    }

    private void wake() {
        if (!isRunning && !isClosed && all != null) {
            isRunning = true;
            threads.start("tutti-grid-store", this::run);
        }
    }

    private void run() {
        boolean mayContinue = true;
        while (mayContinue) {
            try {
                mayContinue = writeNext();
            } catch (StoreException | RuntimeException e) {
                // A store of the application may throw anything; it is written again after that, too.
                onFailure(e);
                mayContinue = false;
            }
        }
    }

    /** Writes the next change; returns false if there is none. */
    private boolean writeNext() throws StoreException {
        Change next;
        Supplier<List<Entry>> entries;
        long count;
        lock.lock();
        try {
            boolean isAll = isRewriting;
            entries = Objects.requireNonNull(all, "the keeper is not started");
            if (isAll) {
                // Changes that come from now on are written after it, some of them twice, which does no harm.
                isRewriting = false;
                changes.clear();
            }
            next = isAll ? null : changes.poll();
            count = addedCount - changes.size();
            if (isClosed || !isAll && next == null) {
                isRunning = false;
                return false;
            }
        } finally {
            lock.unlock();
        }
        if (next == null) {
            store.replaceAll(entries.get());
        } else if (next.entry == null) {
            store.remove(next.id);
        } else {
            store.put(next.entry);
        }
        onWritten(count);
        return true;
    }

    private void onWritten(long count) {
        lock.lock();
        try {
            // After a failure, the first that is written is all.
            failure = null;
            pauseNanos = PAUSE_MIN_NANOS;
            writtenCount = count;
            written.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void onFailure(Exception e) {
        lock.lock();
        try {
            if (failures == 0 || failure == null) {
                LOG.warn("The store of the registry has failed, and will be written again: {}", e.toString());
            }
            failures++;
            failure = e instanceof StoreException ? String.valueOf(e.getMessage()) : e.toString();
            isRewriting = true;
            changes.clear();
            written.signalAll();
            long pause = pauseNanos;
            pauseNanos = Math.min(2 * pause, PAUSE_MAX_NANOS);
            threads.startAfter(pause, "tutti-grid-store", this::run);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks the store, once it has the changes that have come before, or a second later: who has opened a producer finds it.
     *
     * @throws StoreException if the store does not answer, or lacks changes because it has failed
     */
    List<Entry> find(Query query) throws StoreException {
        String reason;
        lock.lock();
        try {
            awaitWritten(addedCount);
            reason = failure;
        } finally {
            lock.unlock();
        }
        if (reason != null) {
            throw new StoreException(reason, null);
        }
        try {
            return store.find(query);
        } catch (RuntimeException e) {
            throw new StoreException(e.toString(), e);
        }
    }

    private void awaitWritten(long count) {
        try {
            long left = WRITING_NANOS;
            while (writtenCount < count && failure == null && !isClosed && left > 0) {
                left = written.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    long failures() {
        lock.lock();
        try {
            return failures;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            isClosed = true;
            changes.clear();
            written.signalAll();
        } finally {
            lock.unlock();
        }
        store.close();
    }
}
