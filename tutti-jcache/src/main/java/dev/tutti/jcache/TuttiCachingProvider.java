package dev.tutti.jcache;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.locks.ReentrantLock;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.OptionalFeature;
import javax.cache.spi.CachingProvider;
import org.jspecify.annotations.Nullable;

/**
 * Provider of caches whose entries every member of a cluster holds. {@link javax.cache.Caching} finds it; applications
 * do not name it.
 *
 * <p><b>Managers.</b> The URI of a manager is that of a YAML file with a tutti node, {@code file:/etc/shop/tutti.yaml}; it
 * ends with {@code .yaml} or {@code .yml}. Every other URI, such as the default one, {@value #DEFAULT_URI}, is the name of
 * a node of its own without a network. A manager starts its node for its first cache, and closes it. With the property
 * {@value #NODE} caches are on a node of the application, which is not closed.
 *
 * <p><b>Reads</b> ({@code get}, {@code getAll}, {@code containsKey}, iterators) see this member's copy, without a network:
 * everything that operations of this member have done, and that of other members a moment later, in the same order
 * everywhere. <b>All other operations</b> take effect one after another at all members, and return when they are made
 * here; operations that find nothing to change, too, so that their answer is no older than they are.
 *
 * <p>Properties, and system properties, configure all caches, or one of them if its name follows after a dot: {@code
 * dev.tutti.jcache.entriesMax.orders}. See {@code docs/jcache.md}.
 */
public final class TuttiCachingProvider implements CachingProvider {

    /** URI of the default manager. */
    public static final String DEFAULT_URI = "tutti:local";

    /** Property whose value is a {@link dev.tutti.Node} of the application. */
    public static final String NODE = "dev.tutti.jcache.node";

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<ClassLoader, Map<URI, TuttiCacheManager>> managers = new HashMap<>();

    /** Constructor for {@link java.util.ServiceLoader}. */
    public TuttiCachingProvider() {
        // Nothing is started before a manager has a cache.
    }

    /**
     * {@inheritDoc}
     *
     * @throws CacheException if a property that begins with {@code dev.tutti.jcache.} is none of this provider
     */
    @Override
    public CacheManager getCacheManager(@Nullable URI uri, @Nullable ClassLoader classLoader, @Nullable Properties properties) {
        URI wanted = uri == null ? getDefaultURI() : uri;
        ClassLoader classes = classLoader == null ? getDefaultClassLoader() : classLoader;
        Properties own = new Properties();
        if (properties != null) {
            own.putAll(properties);
        }
        lock.lock();
        try {
            return managers.computeIfAbsent(classes, key -> new HashMap<>())
                    .computeIfAbsent(wanted, key -> new TuttiCacheManager(this, wanted, classes, own));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CacheManager getCacheManager(@Nullable URI uri, @Nullable ClassLoader classLoader) {
        return getCacheManager(uri, classLoader, null);
    }

    @Override
    public CacheManager getCacheManager() {
        return getCacheManager(null, null, null);
    }

    @Override
    public ClassLoader getDefaultClassLoader() {
        return TuttiCachingProvider.class.getClassLoader();
    }

    @Override
    public URI getDefaultURI() {
        return URI.create(DEFAULT_URI);
    }

    @Override
    public Properties getDefaultProperties() {
        return new Properties();
    }

    @Override
    public void close() {
        closeAll(null, null);
    }

    @Override
    public void close(@Nullable ClassLoader classLoader) {
        closeAll(classLoader == null ? getDefaultClassLoader() : classLoader, null);
    }

    @Override
    public void close(@Nullable URI uri, @Nullable ClassLoader classLoader) {
        closeAll(classLoader == null ? getDefaultClassLoader() : classLoader, uri == null ? getDefaultURI() : uri);
    }

    /**
     * Closes managers.
     *
     * @param classes their class loader; null for all
     * @param uri their URI; null for all
     */
    private void closeAll(@Nullable ClassLoader classes, @Nullable URI uri) {
        List<TuttiCacheManager> closing = new ArrayList<>();
        lock.lock();
        try {
            managers.forEach((loader, byUri) -> byUri.forEach((name, manager) -> {
                if ((classes == null || loader == classes) && (uri == null || name.equals(uri))) {
                    closing.add(manager);
                }
            }));
        } finally {
            lock.unlock();
        }
        closing.forEach(TuttiCacheManager::close);
    }

    /** Forgets a manager that is being closed. */
    void release(TuttiCacheManager manager) {
        lock.lock();
        try {
            Map<URI, TuttiCacheManager> byUri = managers.get(manager.getClassLoader());
            if (byUri != null && byUri.remove(manager.getURI(), manager) && byUri.isEmpty()) {
                managers.remove(manager.getClassLoader());
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isSupported(OptionalFeature optionalFeature) {
        return switch (optionalFeature) {
            // Other members can't have a reference.
            case STORE_BY_REFERENCE -> false;
        };
    }
}
