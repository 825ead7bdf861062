package dev.tutti.jcache;

import dev.tutti.GroupBuilder;
import dev.tutti.Threads;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.jcache.internal.CacheMachine;
import dev.tutti.jcache.internal.CacheSettings;
import dev.tutti.jcache.internal.Change;
import dev.tutti.jcache.internal.Serializer;
import dev.tutti.jcache.internal.Stored;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.configuration.CompleteConfiguration;
import javax.cache.configuration.Configuration;
import javax.cache.configuration.Factory;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.expiry.ExpiryPolicy;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheWriter;
import javax.cache.integration.CacheWriterException;
import javax.cache.integration.CompletionListener;
import javax.cache.processor.EntryProcessor;
import javax.cache.processor.EntryProcessorException;
import javax.cache.processor.EntryProcessorResult;
import org.jspecify.annotations.Nullable;

/** A cache at one member. Reads are from its own memory; all other operations are {@link Updates}. Thread-safe. */
final class TuttiCache<K, V> implements Cache<K, V>, CacheStatus {

    private final TuttiCacheManager manager;
    private final String name;
    private final MutableConfiguration<K, V> configuration;
    private final Threads threads;
    private final Serializer serializer;
    private final Expiry expiry;
    private final @Nullable CacheLoader<K, V> loader;
    private final @Nullable CacheWriter<? super K, ? super V> writer;
    private final Source<K, V> source;
    private final boolean isReadThrough;
    private final Statistics statistics = new Statistics();
    private final Beans beans;
    private final CacheListeners<K, V> listeners;
    private final CacheMachine machine;
    private final NearReads<K, V> reads;
    private final Updates<K, V> updates;
    private volatile boolean isClosed;

    private TuttiCache(
            TuttiCacheManager manager,
            String name,
            MutableConfiguration<K, V> configuration,
            CacheSettings settings,
            GroupBuilder group) {
        this.manager = manager;
        this.name = name;
        this.configuration = configuration;
        this.threads = group.node().threads();
        this.serializer = new Serializer(name, manager.getClassLoader(), settings.classes(), settings.bounds().entryBytesMax());
        this.expiry = new Expiry(configuration.getExpiryPolicyFactory().create());
        Factory<CacheLoader<K, V>> loaders = configuration.getCacheLoaderFactory();
        this.loader = loaders == null ? null : loaders.create();
        Factory<CacheWriter<? super K, ? super V>> writers = configuration.getCacheWriterFactory();
        this.writer = writers == null ? null : writers.create();
        this.source = new Source<>(loader, configuration.isWriteThrough() ? writer : null);
        this.isReadThrough = configuration.isReadThrough() && loader != null;
        this.beans = new Beans(manager.getURI(), name);
        this.listeners = new CacheListeners<>(this, serializer, threads, new Callbacks(group));
        configuration.getCacheEntryListenerConfigurations().forEach(listeners::register);
        this.machine = join(group, settings);
        this.reads = new NearReads<>(machine, serializer, expiry);
        this.updates = new Updates<>(name, machine, settings, serializer, expiry, source, listeners, new EntryLocks(threads));
    }

    private CacheMachine join(GroupBuilder group, CacheSettings settings) {
        try {
            return CacheMachine.join(name, group, settings, serializer, listeners, statistics::onEvicted);
        } catch (RuntimeException e) {
            closeParts();
            throw e;
        }
    }

    /** Opens a cache, with the entries that other members have. */
    static <K, V> TuttiCache<K, V> open(
            TuttiCacheManager manager,
            String name,
            MutableConfiguration<K, V> configuration,
            CacheSettings settings,
            GroupBuilder group) {
        TuttiCache<K, V> cache = new TuttiCache<>(manager, name, configuration, settings, group);
        cache.enableStatistics(configuration.isStatisticsEnabled());
        cache.enableManagement(configuration.isManagementEnabled());
        return cache;
    }

    // ------------------------------------------------------------------ reading

    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException("cache " + name + " is closed");
        }
    }

    private static <T> T required(@Nullable T argument, String what) {
        return Objects.requireNonNull(argument, () -> what + " is null");
    }

    @Override
    public @Nullable V get(K key) {
        checkOpen();
        required(key, "get: the key");
        machine.checkUsable();
        long began = statistics.begin();
        V value = reads.read(key);
        statistics.onGet(value != null, began);
        return value == null && isReadThrough ? load(key) : value;
    }

    /** Loads an entry that is not there; of several callers at this member, one does. */
    private @Nullable V load(K key) {
        ProcessorEntry<K, V> loaded = new ProcessorEntry<>(key, null, serializer, source::load);
        Updates.Done<Optional<V>> done = updates.update(key, present -> {
            if (present != null) {
                return Step.of(Step.Action.NOTHING, Optional.of(reads.value(present)));
            }
            V value = loaded.getValue();
            return value == null ? Step.of(Step.Action.NOTHING, Optional.empty()) : Step.load(value, Optional.of(value));
        });
        // An entry that has expired when it is created was never there.
        return done.kind() == null || done.kind() == Change.Kind.PUT ? done.result().orElse(null) : null;
    }

    @Override
    public Map<K, V> getAll(Set<? extends K> keys) {
        checkOpen();
        checkKeys(keys, "getAll");
        machine.checkUsable();
        Map<K, V> found = new HashMap<>();
        List<K> missing = new ArrayList<>();
        for (K key : keys) {
            long began = statistics.begin();
            V value = reads.read(key);
            statistics.onGet(value != null, began);
            if (value == null) {
                missing.add(key);
            } else {
                found.put(key, value);
            }
        }
        if (isReadThrough && !missing.isEmpty()) {
            Map<K, V> loaded = source.loadAll(missing);
            putLoaded(loaded, false);
            found.putAll(loaded);
        }
        return found;
    }

    private static void checkKeys(@Nullable Set<?> keys, String method) {
        for (Object key : required(keys, method + ": the set of keys")) {
            required(key, method + ": one of the keys");
        }
    }

    @Override
    public boolean containsKey(K key) {
        checkOpen();
        required(key, "containsKey: the key");
        machine.checkUsable();
        return reads.live(key) != null;
    }

    /** Puts values of the source; returns how many were put. */
    private int putLoaded(Map<K, V> loaded, boolean isReplacing) {
        Map<K, Step.Decision<V, ?>> decisions = new LinkedHashMap<>();
        loaded.forEach((key, value) -> decisions.put(
                key,
                present -> present == null || isReplacing ? Step.load(value, true) : Step.of(Step.Action.NOTHING, false)));
        return decisions.isEmpty() ? 0 : updates.updateAll(decisions);
    }

    @Override
    public void loadAll(Set<? extends K> keys, boolean replaceExistingValues, @Nullable CompletionListener completionListener) {
        checkOpen();
        checkKeys(keys, "loadAll");
        Set<K> wanted = new HashSet<>(keys);
        threads.start("tutti-cache-load-" + name, () -> {
            try {
                if (!replaceExistingValues) {
                    wanted.removeIf(key -> reads.live(key) != null);
                }
                long began = statistics.begin();
                statistics.onPut(putLoaded(source.loadAll(wanted), replaceExistingValues), began);
            } catch (RuntimeException e) {
                if (completionListener != null) {
                    completionListener.onException(e);
                }
                return;
            }
            if (completionListener != null) {
                completionListener.onCompletion();
            }
        });
    }

    // ------------------------------------------------------------------ writing

    @Override
    public void put(K key, V value) {
        checkEntry(key, value, "put");
        long began = statistics.begin();
        statistics.onPut(updates.update(key, present -> Step.put(value, true)).made(), began);
    }

    private void checkEntry(K key, V value, String method) {
        checkOpen();
        required(key, method + ": the key");
        required(value, method + ": the value");
    }

    @Override
    public @Nullable V getAndPut(K key, V value) {
        checkEntry(key, value, "getAndPut");
        long began = statistics.begin();
        Updates.Done<Optional<V>> done = updates.update(key, present -> Step.put(value, reads.valueOf(present)));
        statistics.onGet(done.result().isPresent(), began);
        statistics.onPut(done.made(), began);
        return done.result().orElse(null);
    }

    @Override
    public void putAll(Map<? extends K, ? extends V> map) {
        checkOpen();
        required(map, "putAll: the map").forEach((key, value) -> {
            required(key, "putAll: one of the keys");
            required(value, "putAll: one of the values");
        });
        long began = statistics.begin();
        Map<K, Step.Decision<V, ?>> decisions = new LinkedHashMap<>();
        map.forEach((key, value) -> decisions.put(key, present -> Step.put(value, true)));
        CacheWriterException failure = null;
        if (source.isWritten()) {
            List<Entry<? extends K, ? extends V>> open = new ArrayList<>();
            map.forEach((key, value) -> open.add(new CacheEntry<>(key, value)));
            try {
                source.writeAll(open);
            } catch (CacheWriterException e) {
                failure = e;
                open.forEach(each -> decisions.remove(each.getKey()));
            }
        }
        if (!decisions.isEmpty()) {
            statistics.onPut(updates.updateAll(decisions), began);
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public boolean putIfAbsent(K key, V value) {
        checkEntry(key, value, "putIfAbsent");
        long began = statistics.begin();
        Updates.Done<Boolean> done = updates.update(
                key, present -> present == null ? Step.put(value, true) : Step.of(Step.Action.KEEP, false));
        statistics.onGet(!done.result(), began);
        statistics.onPut(done.made(), began);
        return done.result();
    }

    @Override
    public boolean replace(K key, V oldValue, V newValue) {
        checkEntry(key, newValue, "replace");
        required(oldValue, "replace: the old value");
        long began = statistics.begin();
        Updates.Done<NearReads.Match> done = updates.update(key, present -> {
            NearReads.Match match = reads.match(present, oldValue);
            return match == NearReads.Match.EQUAL ? Step.put(newValue, match) : Step.of(Step.Action.ACCESS, match);
        });
        statistics.onGet(done.result() != NearReads.Match.ABSENT, began);
        statistics.onPut(done.made(), began);
        return done.result() == NearReads.Match.EQUAL;
    }

    @Override
    public boolean replace(K key, V value) {
        checkEntry(key, value, "replace");
        long began = statistics.begin();
        boolean isReplaced = updates.update(
                        key, present -> present == null ? Step.of(Step.Action.KEEP, false) : Step.put(value, true))
                .result();
        statistics.onGet(isReplaced, began);
        statistics.onPut(isReplaced ? 1 : 0, began);
        return isReplaced;
    }

    @Override
    public @Nullable V getAndReplace(K key, V value) {
        checkEntry(key, value, "getAndReplace");
        long began = statistics.begin();
        Updates.Done<Optional<V>> done = updates.update(key, present -> present == null
                ? Step.of(Step.Action.KEEP, Optional.empty())
                : Step.put(value, reads.valueOf(present)));
        V before = done.result().orElse(null);
        statistics.onGet(before != null, began);
        statistics.onPut(before != null ? 1 : 0, began);
        return before;
    }

    // ------------------------------------------------------------------ removing

    @Override
    public boolean remove(K key) {
        checkOpen();
        required(key, "remove: the key");
        long began = statistics.begin();
        boolean isRemoved = updates.update(key, present -> Step.of(Step.Action.REMOVE, present != null)).result();
        statistics.onRemove(isRemoved ? 1 : 0, began);
        return isRemoved;
    }

    @Override
    public boolean remove(K key, V oldValue) {
        checkEntry(key, oldValue, "remove");
        long began = statistics.begin();
        Updates.Done<NearReads.Match> done = updates.update(key, present -> {
            NearReads.Match match = reads.match(present, oldValue);
            return Step.of(match == NearReads.Match.EQUAL ? Step.Action.REMOVE : Step.Action.ACCESS, match);
        });
        statistics.onGet(done.result() != NearReads.Match.ABSENT, began);
        statistics.onRemove(done.made(), began);
        return done.result() == NearReads.Match.EQUAL;
    }

    @Override
    public @Nullable V getAndRemove(K key) {
        checkOpen();
        required(key, "getAndRemove: the key");
        long began = statistics.begin();
        V before = updates.update(key, present -> Step.of(Step.Action.REMOVE, reads.valueOf(present)))
                .result()
                .orElse(null);
        statistics.onGet(before != null, began);
        statistics.onRemove(before != null ? 1 : 0, began);
        return before;
    }

    @Override
    public void removeAll(Set<? extends K> keys) {
        checkOpen();
        checkKeys(keys, "removeAll");
        long began = statistics.begin();
        Set<K> wanted = new HashSet<>(keys);
        CacheWriterException failure = null;
        if (source.isWritten() && !wanted.isEmpty()) {
            Set<K> open = new HashSet<>(keys);
            try {
                source.deleteAll(open);
            } catch (CacheWriterException e) {
                failure = e;
                wanted.removeAll(open);
            }
        }
        Map<K, Step.Decision<V, ?>> decisions = new LinkedHashMap<>();
        wanted.forEach(key -> decisions.put(key, present -> Step.of(Step.Action.REMOVE, present != null)));
        if (!decisions.isEmpty()) {
            statistics.onRemove(updates.updateAll(decisions), began);
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void removeAll() {
        checkOpen();
        if (source.isWritten()) {
            Set<K> keys = new HashSet<>();
            iterator().forEachRemaining(entry -> keys.add(entry.getKey()));
            removeAll(keys);
        } else {
            long began = statistics.begin();
            statistics.onRemove(updates.clear(true), began);
        }
    }

    @Override
    public void clear() {
        checkOpen();
        updates.clear(false);
    }

    // ------------------------------------------------------------------ processors

    /**
     * {@inheritDoc}
     *
     * <p>The processor runs at this member, and again if another member has changed the entry meanwhile: it must have no
     * effect but on the entry.
     */
    @Override
    public <T> @Nullable T invoke(K key, EntryProcessor<K, V, T> entryProcessor, Object... arguments) {
        checkOpen();
        required(key, "invoke: the key");
        required(entryProcessor, "invoke: the processor");
        long began = statistics.begin();
        Updates.Done<Processed<T>> done = updates.update(key, present -> {
            ProcessorEntry<K, V> entry =
                    new ProcessorEntry<>(key, present, serializer, isReadThrough ? source::load : absent -> Optional.empty());
            T result = entry.process(entryProcessor, arguments);
            return entry.step(action -> new Processed<>(result, present != null, action));
        });
        Processed<T> processed = done.result();
        statistics.onGet(processed.isHit(), began);
        statistics.onPut(processed.action() == Step.Action.PUT ? 1 : 0, began);
        statistics.onRemove(processed.action() == Step.Action.REMOVE ? 1 : 0, began);
        return processed.result();
    }

    /**
     * Outcome of a processor.
     *
     * @param isHit whether there was an entry
     */
    private record Processed<T>(@Nullable T result, boolean isHit, Step.Action action) {}

    @Override
    public <T> Map<K, EntryProcessorResult<T>> invokeAll(
            Set<? extends K> keys, EntryProcessor<K, V, T> entryProcessor, Object... arguments) {
        checkOpen();
        checkKeys(keys, "invokeAll");
        required(entryProcessor, "invokeAll: the processor");
        Map<K, EntryProcessorResult<T>> results = new HashMap<>();
        for (K key : keys) {
            try {
                T result = invoke(key, entryProcessor, arguments);
                if (result != null) {
                    results.put(key, () -> result);
                }
            } catch (EntryProcessorException e) {
                results.put(key, () -> {
                    throw e;
                });
            } catch (RuntimeException e) {
                results.put(key, () -> {
                    throw new EntryProcessorException(e);
                });
            }
        }
        return results;
    }

    // ------------------------------------------------------------------ all entries

    /** Returns an iterator over the entries that this member has now, from the first written to the last. */
    @Override
    public Iterator<Entry<K, V>> iterator() {
        checkOpen();
        machine.checkUsable();
        return new EntryIterator<>(machine.all(), this::next, entry -> remove(entry.getKey()));
    }

    private @Nullable Entry<K, V> next(Stored earlier) {
        checkOpen();
        long began = statistics.begin();
        Entry<K, V> entry = reads.entry(earlier);
        if (entry != null) {
            statistics.onGet(true, began);
        }
        return entry;
    }

    // ------------------------------------------------------------------ management

    @Override
    public Map<String, Long> status() {
        Map<String, Long> status = machine.status();
        status.put("events-dropped", listeners.dropped());
        return status;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public CacheManager getCacheManager() {
        return manager;
    }

    CompleteConfiguration<K, V> configuration() {
        return configuration;
    }

    @Override
    public <C extends Configuration<K, V>> C getConfiguration(Class<C> type) {
        if (type.isInstance(configuration)) {
            return type.cast(configuration);
        }
        throw new IllegalArgumentException("the configuration of cache " + name + " is no " + type.getName());
    }

    void enableStatistics(boolean enabled) {
        checkOpen();
        statistics.enable(enabled);
        configuration.setStatisticsEnabled(enabled);
        beans.setStatistics(enabled, statistics);
    }

    void enableManagement(boolean enabled) {
        checkOpen();
        configuration.setManagementEnabled(enabled);
        beans.setConfiguration(enabled, new ManagementBean(configuration));
    }

    @Override
    public void registerCacheEntryListener(CacheEntryListenerConfiguration<K, V> listener) {
        checkOpen();
        configuration.addCacheEntryListenerConfiguration(required(listener, "registerCacheEntryListener: the configuration"));
        listeners.register(listener);
    }

    @Override
    public void deregisterCacheEntryListener(CacheEntryListenerConfiguration<K, V> listener) {
        checkOpen();
        listeners.deregister(required(listener, "deregisterCacheEntryListener: the configuration"));
        configuration.removeCacheEntryListenerConfiguration(listener);
    }

    /** Removes the entries at all members, and closes this cache. */
    void destroy() {
        try {
            if (!isClosed) {
                updates.clear(false);
            }
        } finally {
            close();
        }
    }

    /** Leaves the group of the cache; its entries stay at the other members. */
    @Override
    public void close() {
        synchronized (configuration) {
            if (isClosed) {
                return;
            }
            isClosed = true;
        }
        manager.release(this);
        beans.setStatistics(false, statistics);
        beans.setConfiguration(false, statistics);
        machine.close();
        closeParts();
    }

    /** Closes what the application has given to this cache. */
    private void closeParts() {
        listeners.close();
        Closing.close(loader, "loader", name);
        Closing.close(writer, "writer", name);
        Closing.close(expiry.policy(), "expiry policy", name);
    }

    @Override
    public boolean isClosed() {
        return isClosed;
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        return Unwrapping.of(this, type);
    }
}
