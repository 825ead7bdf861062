package dev.tutti.jcache;

import dev.tutti.Threads;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.jcache.internal.CacheMachine;
import dev.tutti.jcache.internal.Happening;
import dev.tutti.jcache.internal.Serializer;
import dev.tutti.jcache.internal.Stored;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import javax.cache.Cache;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryListenerException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners at this member. They hear of changes in the order in which all members make them, synchronous ones on
 * one thread, the others on another; an operation waits until the synchronous listeners of its own member have heard of
 * its changes.
 */
final class CacheListeners<K, V> implements CacheMachine.Listener {

    private static final Logger LOG = LoggerFactory.getLogger(CacheListeners.class);

    private final Cache<K, V> cache;
    private final Serializer serializer;
    private final Threads threads;
    private final Callbacks callbacks;
    private final EventLine synchronous;
    private final EventLine asynchronous;
    private final CopyOnWriteArrayList<Registration<K, V>> registrations = new CopyOnWriteArrayList<>();
    private final LongAdder dropped = new LongAdder();
    private volatile boolean isBehind;

    /** Failures of synchronous listeners by ticket, for operations of this member; used by that line alone. */
    private final Map<Long, CacheEntryListenerException> failures = new LinkedHashMap<>();

    CacheListeners(Cache<K, V> cache, Serializer serializer, Threads threads, Callbacks callbacks) {
        this.cache = cache;
        this.serializer = serializer;
        this.threads = threads;
        this.callbacks = callbacks;
        this.synchronous = new EventLine(threads, "tutti-cache-listeners-" + cache.getName(), EVENTS_MAX);
        this.asynchronous = new EventLine(threads, "tutti-cache-async-" + cache.getName(), EVENTS_MAX);
    }

    void register(CacheEntryListenerConfiguration<K, V> configuration) {
        registrations.add(Registration.of(configuration));
    }

    void deregister(CacheEntryListenerConfiguration<K, V> configuration) {
        for (Registration<K, V> each : registrations) {
            if (each.configuration().equals(configuration) && registrations.remove(each)) {
                Closing.close(each.listener(), "listener", cache.getName());
                Closing.close(each.filter(), "filter", cache.getName());
            }
        }
    }

    void close() {
        for (Registration<K, V> each : registrations) {
            deregister(each.configuration());
        }
    }

    @Override
    public boolean isListening() {
        return !registrations.isEmpty();
    }

    /** Returns the number of events that no listener heard of, as too many waited. */
    long dropped() {
        return dropped.sum();
    }

    @Override
    public void onChange(Happening happening, boolean isOwn) {
        pass(synchronous, true, happening, isOwn);
        pass(asynchronous, false, happening, false);
    }

    private void pass(EventLine line, boolean isSynchronous, Happening happening, boolean isOwn) {
        List<Registration<K, V>> concerned = registrations.stream()
                .filter(each -> each.isSynchronous() == isSynchronous && each.isFor(happening.type()))
                .toList();
        if (concerned.isEmpty()) {
            return;
        }
        boolean isPassed = line.offer(() -> dispatch(concerned, happening, isOwn));
        if (!isPassed) {
            dropped.increment();
        }
        if (isPassed == isBehind) {
            isBehind = !isPassed;
            if (isBehind) {
                LOG.warn("cache {}: listeners are {} events behind, further events are dropped", cache.getName(), EVENTS_MAX);
            } else {
                LOG.info("cache {}: listeners hear of events again, {} were dropped in all", cache.getName(), dropped.sum());
            }
        }
    }

    private void dispatch(List<Registration<K, V>> concerned, Happening happening, boolean isOwn) {
        for (Registration<K, V> each : concerned) {
            Throwable thrown = callbacks
                    .ask(() -> {
                        each.call(event(happening, each));
                        return true;
                    })
                    .thrown();
            if (thrown != null) {
                onFailure(happening, thrown, isOwn);
            }
        }
    }

    private void onFailure(Happening happening, Throwable thrown, boolean isOwn) {
        if (!isOwn) {
            LOG.warn("cache {}: a listener has thrown {} for an entry that was {}", cache.getName(), thrown, happening.type());
            return;
        }
        CacheEntryListenerException failure = thrown instanceof CacheEntryListenerException known
                ? known
                : new CacheEntryListenerException("cache " + cache.getName() + ": a listener has thrown " + thrown, thrown);
        failures.putIfAbsent(happening.ticket(), failure);
        if (failures.size() > FAILURES_MAX) {
            failures.remove(failures.keySet().iterator().next());
        }
    }

    @SuppressWarnings("unchecked") // The entries of a cache have its types.
    private CacheEvent<K, V> event(Happening happening, Registration<K, V> registration) {
        Stored before = happening.before();
        Stored after = happening.after();
        Stored present = after != null ? after : before;
        if (present == null) {
            throw new IllegalStateException("a change from nothing to nothing");
        }
        V value = (V) present.value(serializer);
        boolean isOldWanted = after == null || registration.configuration().isOldValueRequired();
        V oldValue = before != null && isOldWanted ? (V) before.value(serializer) : null;
        return new CacheEvent<>(cache, happening.type(), (K) present.key(serializer), value, oldValue);
    }

    /**
     * Waits until the synchronous listeners have heard of an operation of this member. An operation of a listener does
     * not wait: it would wait for itself.
     *
     * @throws CacheEntryListenerException if one of them has thrown, or does not return; the change is made all the same
     */
    void await(long ticket, Duration within) {
        boolean isAnySynchronous = registrations.stream().anyMatch(Registration::isSynchronous);
        if (!isAnySynchronous || synchronous.isCaller()) {
            return;
        }
        CompletableFuture<Optional<CacheEntryListenerException>> heard = new CompletableFuture<>();
        synchronous.add(() -> heard.complete(Optional.ofNullable(failures.remove(ticket))));
        Optional<CacheEntryListenerException> failure;
        try {
            failure = threads.get(heard, within.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new CacheEntryListenerException("cache " + cache.getName() + ": the change is made, and a synchronous listener"
                    + " did not return within " + within + " (dev.tutti.jcache.timeout)", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CacheEntryListenerException(
                    "cache " + cache.getName() + ": the change is made, and interrupted while waiting for synchronous listeners", e);
        } catch (ExecutionException e) {
            throw new CacheEntryListenerException(e);
        }
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    private static final int EVENTS_MAX = 100_000;
    private static final int FAILURES_MAX = 1_024;
}
