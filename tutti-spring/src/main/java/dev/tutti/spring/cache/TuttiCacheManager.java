package dev.tutti.spring.cache;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.map.MapBuilder;
import dev.tutti.blocks.map.Overflow;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.spring.SpringSettings.Caches;
import dev.tutti.spring.SpringSettings.OneCache;
import dev.tutti.spring.serial.ObjectBytes;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

/**
 * Manager of caches that all nodes have. A cache is a group of its own, {@code spring-cache-} and its name, which a node joins
 * when it first asks for the cache.
 */
public final class TuttiCacheManager implements CacheManager {

    /** Maximum number of caches: names come from the program, and not from its users. */
    public static final int CACHES_MAX = 1_000;

    static final String PREFIX = "spring-cache-";

    private final Node node;
    private final Caches settings;
    private final ObjectBytes objects;
    private final Map<String, Cache> caches = new ConcurrentHashMap<>();

    public TuttiCacheManager(Node node, Caches settings, ObjectBytes objects) {
        this.node = node;
        this.settings = settings;
        this.objects = objects;
    }

    /** @throws IllegalStateException if there are {@value #CACHES_MAX} caches and this is another one */
    @Override
    public Cache getCache(String name) {
        return caches.computeIfAbsent(name, this::join);
    }

    private Cache join(String name) {
        if (caches.size() >= CACHES_MAX) {
            throw new IllegalStateException("cache " + name + ": there are " + CACHES_MAX + " caches already; a cache for each user or"
                    + " request would be better one cache with a key");
        }
        OneCache own = settings.caches().getOrDefault(name, new OneCache(null, null));
        Duration timeToLive = own.timeToLive() == null ? settings.timeToLive() : own.timeToLive();
        int entriesMax = own.entriesMax() == null ? settings.entriesMax() : own.entriesMax();
        MapBuilder<String, byte[]> map = ReplicatedMap.on(node.group(PREFIX + name), Codec.TEXT, Codec.BYTES)
                .entriesMax(entriesMax, Overflow.EVICT);
        if (timeToLive != null) {
            map.timeToLive(timeToLive);
        }
        return new TuttiCache(name, map.lastWriter(), objects);
    }

    @Override
    public Collection<String> getCacheNames() {
        return List.copyOf(caches.keySet());
    }
}
