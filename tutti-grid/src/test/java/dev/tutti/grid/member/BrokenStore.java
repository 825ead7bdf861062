package dev.tutti.grid.member;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Query;
import dev.tutti.grid.store.MemoryStore;
import dev.tutti.grid.store.RegistryStore;
import java.util.Collection;
import java.util.List;

/** A store of a careless application, which throws what it should not while it is broken. */
final class BrokenStore implements RegistryStore {

    private final MemoryStore store = new MemoryStore();
    private boolean isBroken;

    void setBroken(boolean broken) {
        isBroken = broken;
    }

    private void check() {
        if (isBroken) {
            throw new IllegalStateException("as the test wants it");
        }
    }

    @Override
    public void replaceAll(Collection<Entry> entries) {
        check();
        store.replaceAll(entries);
    }

    @Override
    public void put(Entry entry) {
        check();
        store.put(entry);
    }

    @Override
    public void remove(String id) {
        check();
        store.remove(id);
    }

    @Override
    public List<Entry> find(Query query) {
        check();
        return store.find(query);
    }

    @Override
    public void close() {
        store.close();
    }
}
