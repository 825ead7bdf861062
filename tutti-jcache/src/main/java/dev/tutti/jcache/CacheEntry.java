package dev.tutti.jcache;

import javax.cache.Cache;

/**
 * An entry that was read or is to be written.
 *
 * @param getKey the key
 * @param getValue the value
 */
record CacheEntry<K, V>(K getKey, V getValue) implements Cache.Entry<K, V> {

    @Override
    public <T> T unwrap(Class<T> type) {
        return Unwrapping.of(this, type);
    }
}
