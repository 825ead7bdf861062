package dev.tutti.jcache;

import javax.cache.Cache;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.EventType;
import org.jspecify.annotations.Nullable;

/** A change of an entry, as a listener sees it. */
final class CacheEvent<K, V> extends CacheEntryEvent<K, V> {

    private static final long serialVersionUID = 1;

    private final transient K key;
    private final transient @Nullable V value;
    private final transient @Nullable V oldValue;

    CacheEvent(Cache<K, V> cache, EventType type, K key, @Nullable V value, @Nullable V oldValue) {
        super(cache, type);
        this.key = key;
        this.value = value;
        this.oldValue = oldValue;
    }

    @Override
    public K getKey() {
        return key;
    }

    /** Returns the present value; of an entry that was removed or has expired, the last one. */
    @Override
    public @Nullable V getValue() {
        return value;
    }

    @Override
    public @Nullable V getOldValue() {
        return oldValue;
    }

    @Override
    public boolean isOldValueAvailable() {
        return oldValue != null;
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        return Unwrapping.of(this, type);
    }

    @Override
    public String toString() {
        return getEventType() + " " + key;
    }
}
