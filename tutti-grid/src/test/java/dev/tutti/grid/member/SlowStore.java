package dev.tutti.grid.member;

import dev.tutti.Threads;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Query;
import dev.tutti.grid.store.MemoryStore;
import dev.tutti.grid.store.RegistryStore;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** A store that takes 200 ms for each change. */
final class SlowStore implements RegistryStore {

    private final MemoryStore store = new MemoryStore();
    private final Threads threads;

    SlowStore(Threads threads) {
        this.threads = threads;
    }

    private void pause() {
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(200);
            while (left > 0) {
                left = threads.condition(lock).awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void replaceAll(Collection<Entry> entries) {
        store.replaceAll(entries);
    }

    @Override
    public void put(Entry entry) {
        pause();
        store.put(entry);
    }

    @Override
    public void remove(String id) {
        pause();
        store.remove(id);
    }

    @Override
    public List<Entry> find(Query query) {
        return store.find(query);
    }

    @Override
    public void close() {
        store.close();
    }
}
