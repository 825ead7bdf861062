package dev.tutti.spring.cache;

import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.spring.serial.ObjectBytes;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.support.AbstractValueAdaptingCache;

/**
 * A cache that all nodes have. Reads are local and give each caller an object of its own; writes and evictions reach all nodes.
 *
 * <p>{@code sync = true} computes a value once for each node, not once for all.
 */
final class TuttiCache extends AbstractValueAdaptingCache {

    private static final int LOCKS = 64;

    private final String name;
    private final ReplicatedMap<String, byte[]> map;
    private final ObjectBytes objects;
    private final Lock[] locks;

    TuttiCache(String name, ReplicatedMap<String, byte[]> map, ObjectBytes objects) {
        super(true);
        this.name = name;
        this.map = map;
        this.objects = objects;
        this.locks = IntStream.range(0, LOCKS).mapToObj(each -> new ReentrantLock()).toArray(Lock[]::new);
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public Object getNativeCache() {
        return map;
    }

    @Override
    protected @Nullable Object lookup(Object key) {
        byte[] bytes = map.get(CacheKeys.text(name, key));
        return bytes == null ? null : objects.decode(bytes);
    }

    @Override
    @SuppressWarnings("unchecked") // the caller knows what is under a key
    public <T> @Nullable T get(Object key, Callable<T> valueLoader) {
        ValueWrapper present = get(key);
        if (present != null) {
            return (T) present.get();
        }
        Lock lock = locks[Math.floorMod(CacheKeys.text(name, key).hashCode(), LOCKS)];
        lock.lock();
        try {
            present = get(key);
            if (present != null) {
                return (T) present.get();
            }
            T value = load(key, valueLoader);
            put(key, value);
            return value;
        } finally {
            lock.unlock();
        }
    }

    private static <T> T load(Object key, Callable<T> loader) {
        try {
            return loader.call();
        } catch (Exception e) {
            throw new ValueRetrievalException(key, loader, e);
        }
    }

    @Override
    public void put(Object key, @Nullable Object value) {
        map.put(CacheKeys.text(name, key), objects.encode(toStoreValue(value)));
    }

    @Override
    public void evict(Object key) {
        map.remove(CacheKeys.text(name, key));
    }

    @Override
    public boolean evictIfPresent(Object key) {
        String text = CacheKeys.text(name, key);
        boolean isPresent = map.containsKey(text);
        map.remove(text);
        return isPresent;
    }

    @Override
    public void clear() {
        map.snapshot().entries().keySet().stream().map(map::removeAsync).toList().forEach(each -> each.join());
    }

    @Override
    public boolean invalidate() {
        boolean isAny = map.size() > 0;
        clear();
        return isAny;
    }
}
