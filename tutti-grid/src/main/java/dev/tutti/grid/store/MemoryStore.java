package dev.tutti.grid.store;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Query;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A store in memory. Queries that name a topic or an attribute look at the entries that an index gives for them; many queries
 * run at the same time.
 */
public final class MemoryStore implements RegistryStore {

    private final ReadWriteLock lock = new ReentrantReadWriteLock();

    // Guarded by the lock.
    private EntryIndex index = new EntryIndex();

    @Override
    public void replaceAll(Collection<Entry> entries) {
        EntryIndex next = new EntryIndex();
        Entries.valid(entries).forEach(next::put);
        lock.writeLock().lock();
        try {
            index = next;
        } finally {
            lock.writeLock().unlock();
        }
    }

    @Override
    public void put(Entry entry) {
        lock.writeLock().lock();
        try {
            index.put(entry);
        } finally {
            lock.writeLock().unlock();
        }
    }

    @Override
    public void remove(String id) {
        lock.writeLock().lock();
        try {
            index.remove(id);
        } finally {
            lock.writeLock().unlock();
        }
    }

    @Override
    public List<Entry> find(Query query) {
        lock.readLock().lock();
        try {
            return index.find(query);
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public void close() {
        replaceAll(List.of());
    }
}
