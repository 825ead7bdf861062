package dev.tutti.jcache;

import dev.tutti.jcache.internal.Stored;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.cache.Cache;
import org.jspecify.annotations.Nullable;

/** Iterator over the entries that a member had at some time, as far as they are there when they come next. */
final class EntryIterator<K, V> implements Iterator<Cache.Entry<K, V>> {

    private final Iterator<Stored> stored;
    private final Function<Stored, Cache.@Nullable Entry<K, V>> read;
    private final Consumer<Cache.Entry<K, V>> remover;
    private Cache.@Nullable Entry<K, V> next;
    private Cache.@Nullable Entry<K, V> last;

    /**
     * @param read reads an entry; returns null if it is no longer there
     * @param remover removes an entry
     */
    EntryIterator(
            List<Stored> stored,
            Function<Stored, Cache.@Nullable Entry<K, V>> read,
            Consumer<Cache.Entry<K, V>> remover) {
        this.stored = stored.iterator();
        this.read = read;
        this.remover = remover;
    }

    @Override
    public boolean hasNext() {
        while (next == null && stored.hasNext()) {
            next = read.apply(stored.next());
        }
        return next != null;
    }

    @Override
    public Cache.Entry<K, V> next() {
        Cache.Entry<K, V> entry = hasNext() ? next : null;
        if (entry == null) {
            throw new NoSuchElementException("there is no further entry");
        }
        next = null;
        last = entry;
        return entry;
    }

    @Override
    public void remove() {
        Cache.Entry<K, V> entry = last;
        if (entry == null) {
            throw new IllegalStateException("remove: call next first");
        }
        last = null;
        remover.accept(entry);
    }
}
