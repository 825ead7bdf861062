package dev.tutti.jcache;

import dev.tutti.Node;
import dev.tutti.config.YamlFile;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.CompleteConfiguration;
import javax.cache.configuration.Configuration;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.spi.CachingProvider;
import org.jspecify.annotations.Nullable;

/** The caches on one node. Thread-safe. */
final class TuttiCacheManager implements CacheManager {

    private final TuttiCachingProvider provider;
    private final URI uri;
    private final ClassLoader classes;
    private final Properties properties;
    private final ManagerSettings settings;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final Map<String, TuttiCache<?, ?>> caches = new LinkedHashMap<>();

    /** The node that this manager has started, and closes. */
    private @Nullable Node ownNode;

    private volatile boolean isClosed;

    TuttiCacheManager(TuttiCachingProvider provider, URI uri, ClassLoader classes, Properties properties) {
        this.provider = provider;
        this.uri = uri;
        this.classes = classes;
        this.properties = properties;
        this.settings = new ManagerSettings(properties);
    }

    @Override
    public CachingProvider getCachingProvider() {
        return provider;
    }

    @Override
    public URI getURI() {
        return uri;
    }

    @Override
    public ClassLoader getClassLoader() {
        return classes;
    }

    @Override
    public Properties getProperties() {
        Properties copy = new Properties();
        copy.putAll(properties);
        return copy;
    }

    // ------------------------------------------------------------------ the node

    /** Returns the node of the caches, and starts it if there is none; under the lock. */
    private Node node() {
        Node given = settings.node();
        if (given != null) {
            return given;
        }
        Node own = ownNode;
        if (own == null) {
            own = start();
            ownNode = own;
        }
        return own;
    }

    private Node start() {
        String path = uri.getPath() == null ? uri.getSchemeSpecificPart() : uri.getPath();
        boolean isFile = path.endsWith(".yaml") || path.endsWith(".yml");
        try {
            if (isFile) {
                return Node.of(YamlFile.read(Path.of(path), Node.defaults())).start();
            }
            // Nobody else has a cluster of this name, so that managers of other class loaders do not share the caches.
            return Node.local().cluster("jcache-" + UUID.randomUUID()).start();
        } catch (RuntimeException e) {
            throw new CacheException("the node of cache manager " + uri + " could not be started: " + e.getMessage(), e);
        }
    }

    // ------------------------------------------------------------------ caches

    @Override
    public <K, V, C extends Configuration<K, V>> Cache<K, V> createCache(String cacheName, C configuration) {
        Objects.requireNonNull(cacheName, "createCache: the name is null");
        Objects.requireNonNull(configuration, "createCache: the configuration is null");
        MutableConfiguration<K, V> complete = complete(configuration);
        lock.lock();
        try {
            checkOpen();
            if (caches.containsKey(cacheName)) {
                throw new CacheException("there is a cache " + cacheName + " already; getCache returns it");
            }
            TuttiCache<K, V> cache = create(cacheName, complete);
            caches.put(cacheName, cache);
            return cache;
        } finally {
            lock.unlock();
        }
    }

    private static <K, V> MutableConfiguration<K, V> complete(Configuration<K, V> configuration) {
        MutableConfiguration<K, V> complete;
        if (configuration instanceof CompleteConfiguration<K, V> given) {
            complete = new MutableConfiguration<>(given);
        } else {
            complete = new MutableConfiguration<>();
            complete.setTypes(configuration.getKeyType(), configuration.getValueType());
            complete.setStoreByValue(configuration.isStoreByValue());
        }
        if (!complete.isStoreByValue()) {
            throw new UnsupportedOperationException(
                    "a cache on several members stores by value; setStoreByValue(true) is the default");
        }
        return complete;
    }

    private <K, V> TuttiCache<K, V> create(String name, MutableConfiguration<K, V> configuration) {
        Node node = node();
        String group = GROUP_PREFIX + name;
        try {
            return TuttiCache.open(
                    this,
                    name,
                    configuration,
                    settings.of(name, configuration.getKeyType(), configuration.getValueType(), node, group),
                    node.group(group));
        } catch (CacheException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new CacheException("cache " + name + " could not be created: " + e.getMessage(), e);
        }
    }

    @Override
    @SuppressWarnings("unchecked") // The types are compared.
    public <K, V> @Nullable Cache<K, V> getCache(String cacheName, Class<K> keyType, Class<V> valueType) {
        Objects.requireNonNull(keyType, "getCache: the type of keys is null");
        Objects.requireNonNull(valueType, "getCache: the type of values is null");
        TuttiCache<?, ?> cache = find(cacheName);
        if (cache == null) {
            return null;
        }
        Configuration<?, ?> configured = cache.configuration();
        checkType(cacheName, "keys", configured.getKeyType(), keyType);
        checkType(cacheName, "values", configured.getValueType(), valueType);
        return (Cache<K, V>) cache;
    }

    private static void checkType(String cache, String what, Class<?> configured, Class<?> wanted) {
        if (!configured.equals(wanted)) {
            throw new ClassCastException(
                    "cache " + cache + " has " + what + " of type " + configured.getName() + ", not of type " + wanted.getName());
        }
    }

    @Override
    @SuppressWarnings("unchecked") // The caller knows the types.
    public <K, V> @Nullable Cache<K, V> getCache(String cacheName) {
        return (Cache<K, V>) find(cacheName);
    }

    private @Nullable TuttiCache<?, ?> find(String cacheName) {
        Objects.requireNonNull(cacheName, "the name of a cache is null");
        checkOpen();
        lock.lock();
        try {
            return caches.get(cacheName);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Iterable<String> getCacheNames() {
        checkOpen();
        lock.lock();
        try {
            return List.copyOf(caches.keySet());
        } finally {
            lock.unlock();
        }
    }

    /** Removes the entries of a cache at all members, and closes it at this one. */
    @Override
    public void destroyCache(String cacheName) {
        TuttiCache<?, ?> cache = find(cacheName);
        if (cache != null) {
            cache.destroy();
        }
    }

    /** Forgets a cache that is being closed. */
    void release(TuttiCache<?, ?> cache) {
        lock.lock();
        try {
            caches.remove(cache.getName(), cache);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void enableManagement(String cacheName, boolean enabled) {
        TuttiCache<?, ?> cache = find(cacheName);
        if (cache != null) {
            cache.enableManagement(enabled);
        }
    }

    @Override
    public void enableStatistics(String cacheName, boolean enabled) {
        TuttiCache<?, ?> cache = find(cacheName);
        if (cache != null) {
            cache.enableStatistics(enabled);
        }
    }

    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException("cache manager " + uri + " is closed");
        }
    }

    /** Closes all caches, and the node if the manager has started it; entries stay at the other members. */
    @Override
    public void close() {
        List<TuttiCache<?, ?>> open;
        Node node;
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
            open = new ArrayList<>(caches.values());
            node = ownNode;
        } finally {
            lock.unlock();
        }
        provider.release(this);
        open.forEach(TuttiCache::close);
        if (node != null) {
            node.close();
        }
    }

    @Override
    public boolean isClosed() {
        return isClosed;
    }

    /** Returns this manager, or its node. */
    @Override
    public <T> T unwrap(Class<T> type) {
        if (type == Node.class) {
            lock.lock();
            try {
                return type.cast(node());
            } finally {
                lock.unlock();
            }
        }
        return Unwrapping.of(this, type);
    }

    private static final String GROUP_PREFIX = "jcache-";
}
