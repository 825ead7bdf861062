package dev.tutti.grid.store;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Query;
import java.util.Collection;
import java.util.List;

/**
 * Store of the entries of one site, from which one member of the grid answers queries. The member writes all changes to it,
 * in their order and one at a time, on a thread of its own, while other threads query it.
 *
 * <p>It need not be durable: the group of the site has the entries, too. When a method has thrown, the member calls {@link
 * #replaceAll} until that succeeds, with growing pauses, and answers no query from the store meanwhile.
 */
public interface RegistryStore extends AutoCloseable {

    /** Replaces the content. Called first of all, so that what an earlier run has left is gone. */
    void replaceAll(Collection<Entry> entries) throws StoreException;

    /** Adds an entry, or replaces the one with the same identity. */
    void put(Entry entry) throws StoreException;

    /** Removes the entry with this identity, if there is one. */
    void remove(String id) throws StoreException;

    /**
     * Returns entries that the query describes, sorted by name and identity, at most as many as its {@linkplain Query#limit
     * limit}. The sites and the deadline of the query are the caller's affair.
     */
    List<Entry> find(Query query) throws StoreException;

    /** Frees what the store holds. Never throws. */
    @Override
    void close();
}
